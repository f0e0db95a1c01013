//! Characters that people do not see and models read.

/// Whether `c` is a Unicode tag character, a bidirectional control or another control character.
///
/// Line breaks and tabs are layout, and zero-width joiners belong to scripts and emoji: neither counts.
pub fn is_invisible(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{E0000}'..='\u{E007F}' => true,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// What is invisible in `text`, for a message; `None` if nothing is.
pub(super) fn describe(text: &str) -> Option<String> {
    if !holds_any(text) {
        return None;
    }
    let count = text.chars().filter(|c| is_invisible(*c)).count();
    let hidden = decode_tags(text);
    let characters = if count == 1 { "character" } else { "characters" };
    if hidden.is_empty() {
        return Some(format!("{count} invisible {characters} (control or direction marks)"));
    }
    Some(format!("{count} invisible {characters} that spell `{}`", super::findings::quoted(&hidden)))
}

/// Whether a character of `text` is invisible; as [`is_invisible`] for each, without decoding them.
fn holds_any(text: &str) -> bool {
    let bytes = text.as_bytes();
    let may_begin = |byte: u8| byte < b' ' || matches!(byte, 0x7F | 0xC2 | 0xD8 | 0xE2 | 0xF3);
    positions(bytes, may_begin).any(|at| match bytes[at..] {
        [b'\n' | b'\r' | b'\t', ..] => false,
        // U+0080 to U+009F.
        [0xC2, next, ..] => next < 0xA0,
        // U+061C.
        [0xD8, next, ..] => next == 0x9C,
        // U+200E, U+200F, U+202A to U+202E; U+2066 to U+2069.
        [0xE2, 0x80, next, ..] => matches!(next, 0x8E | 0x8F | 0xAA..=0xAE),
        [0xE2, 0x81, next, ..] => matches!(next, 0xA6..=0xA9),
        [0xE2, ..] => false,
        // U+E0000 to U+E007F.
        [0xF3, 0xA0, next, ..] => next <= 0x81,
        [0xF3, ..] => false,
        _ => true,
    })
}

/// Where the bytes are that `is_wanted`, which should be few.
pub(super) fn positions(bytes: &[u8], is_wanted: impl Fn(u8) -> bool + Copy) -> impl Iterator<Item = usize> {
    const STEP: usize = 32;
    let steps = bytes.chunks(STEP).enumerate();
    // All bytes of a step are looked at, which a processor does at once.
    let steps = steps.filter(move |(_, step)| step.iter().fold(false, |found, byte| found | is_wanted(*byte)));
    steps.flat_map(move |(number, step)| {
        let wanted = step.iter().enumerate().filter(move |(_, byte)| is_wanted(**byte));
        wanted.map(move |(at, _)| number * STEP + at)
    })
}

/// The ASCII text that tag characters in `text` stand for.
fn decode_tags(text: &str) -> String {
    text.chars()
        .filter_map(|c| match u32::from(c) {
            tag @ 0xE0020..=0xE007E => char::from_u32(tag - 0xE0000),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_judged_alike_with_and_without_decoding() {
        for c in '\0'..=char::MAX {
            assert_eq!(holds_any(&format!("some text before {c} and some more after it")), is_invisible(c), "{c:?}");
        }
    }
}
