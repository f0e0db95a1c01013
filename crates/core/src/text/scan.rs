//! Finds hidden characters and line breaks, and separates legitimate uses of invisible characters from hidden text.

/// A part of a text that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Odd<'t> {
    /// The byte where it begins.
    pub(super) at: usize,
    pub(super) text: &'t str,
    pub(super) kind: OddKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OddKind {
    /// One character that a reader may take for the end of a line, or a tab.
    Break,
    /// A run of hidden characters.
    Hidden,
}

impl Odd<'_> {
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// Returns the runs of hidden characters in `text`.
pub(super) fn hidden(text: &str) -> impl Iterator<Item = Odd<'_>> {
    OddScan::<false> {
        text,
        from: 0,
        has_braille: None,
    }
}

/// Returns the runs of hidden characters in `text`, and its breaks, in order.
pub(super) fn odd(text: &str) -> impl Iterator<Item = Odd<'_>> {
    OddScan::<true> {
        text,
        from: 0,
        has_braille: None,
    }
}

/// Returns whether a hidden character may be in `text`, or in a text of parts of it. `false` is certain.
pub(crate) fn may_hide(text: &str) -> bool {
    next_suspect::<false>(text.as_bytes()).is_some()
}

struct OddScan<'t, const BREAKS: bool> {
    text: &'t str,
    from: usize,
    /// `true` if the text has visible Braille patterns, once that is known.
    has_braille: Option<bool>,
}

impl<'t, const BREAKS: bool> Iterator for OddScan<'t, BREAKS> {
    type Item = Odd<'t>;

    fn next(&mut self) -> Option<Odd<'t>> {
        loop {
            let text = self.text;
            let at = self.from + next_suspect::<BREAKS>(&text.as_bytes()[self.from..])?;
            let c = text[at..].chars().next()?;
            let first = &text[at..at + c.len_utf8()];
            self.from = at + first.len();
            if BREAKS && is_break(c) {
                return Some(Odd {
                    at,
                    text: first,
                    kind: OddKind::Break,
                });
            }
            if !is_shapeless(c) {
                continue;
            }
            let rest = &text[self.from..];
            self.from += rest.find(|c| !is_shapeless(c)).unwrap_or(rest.len());
            let run = &text[at..self.from];
            if !self.is_honest(at, run) {
                return Some(Odd {
                    at,
                    text: run,
                    kind: OddKind::Hidden,
                });
            }
        }
    }
}

impl<const BREAKS: bool> OddScan<'_, BREAKS> {
    fn is_honest(&mut self, at: usize, run: &str) -> bool {
        let text = self.text;
        if run.chars().all(|c| c == '\u{2800}') {
            return *self
                .has_braille
                .get_or_insert_with(|| text.contains(|c| matches!(c, '\u{2801}'..='\u{28FF}')));
        }
        let (before, after) = (
            text[..at].chars().next_back(),
            text[at + run.len()..].chars().next(),
        );
        is_honest_run(before, run, after)
    }
}

/// Returns the place of the first byte that an odd character may begin with.
///
/// Compares whole chunks with printable ASCII first, which takes a vector at a time and is mostly enough.
fn next_suspect<const BREAKS: bool>(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 16;
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    for (number, chunk) in chunks.iter().enumerate() {
        if chunk
            .iter()
            .fold(false, |any, byte| any | is_unusual::<BREAKS>(*byte))
        {
            let start = CHUNK * number;
            if let Some(at) = (start..start + CHUNK).find(|at| is_suspect::<BREAKS>(bytes, *at)) {
                return Some(at);
            }
        }
    }
    (bytes.len() - rest.len()..bytes.len()).find(|at| is_suspect::<BREAKS>(bytes, *at))
}

fn is_suspect<const BREAKS: bool>(bytes: &[u8], at: usize) -> bool {
    may_begin::<BREAKS>(bytes[at], bytes.get(at + 1).copied().unwrap_or_default())
}

fn is_unusual<const BREAKS: bool>(byte: u8) -> bool {
    ((byte.wrapping_add(1) as i8) < 0x21) & (BREAKS | (byte != b'\n'))
}

fn may_begin<const BREAKS: bool>(byte: u8, next: u8) -> bool {
    match byte {
        b'\n' | b'\r' | b'\t' | 0x0B | 0x0C => BREAKS,
        0..b' ' | 0x7F => true,
        // Continuation bytes and other ASCII, which are most of what is left.
        b' '..=0xC1 => false,
        // U+0080 to U+009F, U+00AD.
        0xC2 => next < 0xA0 || next == 0xAD,
        // U+034F.
        0xCD => next == 0x8F,
        // U+061C.
        0xD8 => next == 0x9C,
        // U+115F and U+1160, U+17B4 and U+17B5, U+180B to U+180F.
        0xE1 => matches!(next, 0x85 | 0x9E | 0xA0),
        // U+200B to U+202E, U+2060 to U+206F, U+2800.
        0xE2 => matches!(next, 0x80 | 0x81 | 0xA0),
        // U+3164.
        0xE3 => next == 0x85,
        // U+FE00 to U+FE0F, U+FEFF, U+FFA0, U+FFF0 to U+FFFF.
        0xEF => matches!(next, 0xB8 | 0xBB | 0xBE | 0xBF),
        // U+1BCA0 to U+1BCA3, U+1D173 to U+1D17A.
        0xF0 => matches!(next, 0x9B | 0x9D),
        // U+E0000 to U+E0FFF.
        0xF3 => next == 0xA0,
        _ => false,
    }
}

/// The tags of the flags that are recommended for interchange.
const FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// The longest legitimate run of joiners and direction marks. A longer one counts as hidden text.
const MARKS: usize = 2;

/// Returns whether `c` is invisible on its own, and is neither whitespace nor a line break.
pub(super) fn is_shapeless(c: char) -> bool {
    match c {
        '\t'..='\r' | '\u{85}' => false,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' => {
            true
        }
        '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' => true,
        '\u{2800}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' => true,
        '\u{FFFE}' | '\u{FFFF}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' => true,
        '\u{E0000}'..='\u{E0FFF}' => true,
        c => c.is_control(),
    }
}

/// Returns whether `run`, a whole run of shapeless characters, is part of the text between `before` and `after`.
///
/// Both neighbours are visible characters, so removing a run is idempotent.
fn is_honest_run(before: Option<char>, run: &str, after: Option<char>) -> bool {
    let rest = match before {
        Some('\u{1F3F4}') => FLAGS.iter().find_map(|flag| run.strip_prefix(flag)),
        _ => None,
    };
    let rest = rest.unwrap_or(run);
    let mut chars = rest.chars();
    let rest = match (before, chars.next()) {
        (Some(base), Some(first)) if has_variant(base, first) => chars.as_str(),
        _ => rest,
    };
    if rest.chars().nth(MARKS).is_some() {
        return false;
    }
    let beside = |is: fn(char) -> bool| before.is_some_and(is) || after.is_some_and(is);
    let between = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
    rest.chars().all(|c| match c {
        '\u{61C}' | '\u{200E}' | '\u{200F}' => true,
        '\u{200C}' => beside(is_joining),
        '\u{200D}' => beside(is_joining) || between(is_emoji),
        '\u{200B}' => between(is_written_without_blanks),
        '\u{180E}' => between(is_mongolian),
        '\u{115F}' | '\u{1160}' => beside(is_jamo),
        _ => false,
    })
}

fn has_variant(base: char, selector: char) -> bool {
    match selector {
        '\u{FE0E}' | '\u{FE0F}' => {
            is_emoji(base)
                || base.is_ascii_digit()
                || matches!(base, '#' | '*' | char::REPLACEMENT_CHARACTER)
                || is_sign(base)
        }
        '\u{FE00}'..='\u{FE0D}' => {
            let is_listed = matches!(base,
                '0' | '\u{1000}'..='\u{109F}' | '\u{A840}'..='\u{A877}' | '\u{AA60}'..='\u{AA7F}' | '\u{FF00}'..='\u{FFEE}'
                | '\u{10AC0}'..='\u{10AFF}' | '\u{13000}'..='\u{1345F}');
            is_listed || is_sign(base) || is_ideograph(base)
        }
        '\u{E0100}'..='\u{E01EF}' => is_ideograph(base),
        '\u{180B}'..='\u{180D}' | '\u{180F}' => is_mongolian(base),
        _ => false,
    }
}

fn is_sign(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{20D0}'..='\u{27FF}'
        | '\u{2900}'..='\u{2BFF}' | '\u{3001}'..='\u{303F}' | '\u{3200}'..='\u{32FF}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{20E3}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}'
        | '\u{2300}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}'
        | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFD}')
}

fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109F}' | '\u{1700}'..='\u{18AF}' | '\u{1A20}'..='\u{1CFF}' | '\u{A800}'..='\u{ABFF}'
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10A00}'..='\u{11FFF}' | '\u{1E900}'..='\u{1E95F}')
}

fn is_written_without_blanks(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{1950}'..='\u{1AAF}' | '\u{A980}'..='\u{A9FF}'
        | '\u{AA60}'..='\u{AADF}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1800}'..='\u{18AF}' | '\u{11660}'..='\u{1166C}')
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115E}' | '\u{1161}'..='\u{11FF}' | '\u{A960}'..='\u{A97C}' | '\u{D7B0}'..='\u{D7FB}')
}

/// Returns whether a reader may take `c` for the end of a line. Tabs count too.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests;
