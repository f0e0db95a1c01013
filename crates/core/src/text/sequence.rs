//! Tells honest sequences of characters without a shape from hidden ones.

/// The tags of the flags that are recommended for interchange.
const FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// The longest honest run of joiners and direction marks. A longer one is a message or a mistake.
const MARKS: usize = 2;

/// Returns whether `c` shows nothing where it stands alone, and is neither a blank nor a break.
pub(super) fn is_shapeless(c: char) -> bool {
    match c {
        '\t'..='\r' | '\u{85}' => false,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' => true,
        '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' => true,
        '\u{FFFE}' | '\u{FFFF}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' => true,
        '\u{E0000}'..='\u{E0FFF}' => true,
        c => c.is_control(),
    }
}

/// Returns whether `run`, a whole run of shapeless characters, is part of the text between `before` and `after`.
///
/// Both neighbours have a shape. So they stay when a run is taken out, and a second look finds nothing new.
pub(super) fn is_honest(before: Option<char>, run: &str, after: Option<char>) -> bool {
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

/// Returns whether `selector` chooses one of the variants that `base` has.
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

/// Punctuation, arrows, mathematical and technical signs, dingbats.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{20D0}'..='\u{27FF}'
        | '\u{2900}'..='\u{2BFF}' | '\u{3001}'..='\u{303F}' | '\u{3200}'..='\u{32FF}')
}

/// The blocks that hold emoji, their modifiers and the parts of their sequences.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{20E3}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}'
        | '\u{2300}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}'
        | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFD}')
}

/// The blocks of scripts whose letters join, or form clusters that joiners shape.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109F}' | '\u{1700}'..='\u{18AF}' | '\u{1A20}'..='\u{1CFF}' | '\u{A800}'..='\u{ABFF}'
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10A00}'..='\u{11FFF}' | '\u{1E900}'..='\u{1E95F}')
}

/// Scripts that put U+200B where others put blanks: Thai, Lao, Tibetan, Myanmar, Khmer and their kin.
fn is_written_without_blanks(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{1950}'..='\u{1AAF}' | '\u{A980}'..='\u{A9FF}'
        | '\u{AA60}'..='\u{AADF}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1800}'..='\u{18AF}' | '\u{11660}'..='\u{1166C}')
}

/// Conjoining letters of Hangul.
fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115E}' | '\u{1161}'..='\u{11FF}' | '\u{A960}'..='\u{A97C}' | '\u{D7B0}'..='\u{D7FB}')
}
