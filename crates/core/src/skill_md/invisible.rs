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
    // Every byte is looked at, which a processor does many at a time.
    if text.bytes().fold(true, |visible, byte| visible & matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return None;
    }
    if !may_hold_invisible(text) {
        return None;
    }
    let count = text.chars().filter(|c| is_invisible(*c)).count();
    if count == 0 {
        return None;
    }
    let hidden = decode_tags(text);
    let characters = if count == 1 { "character" } else { "characters" };
    if hidden.is_empty() {
        return Some(format!("{count} invisible {characters} (control or direction marks)"));
    }
    Some(format!("{count} invisible {characters} that spell `{}`", super::findings::quoted(&hidden)))
}

/// Whether a byte of `text` is a control character or begins a character among which there are invisible ones.
fn may_hold_invisible(text: &str) -> bool {
    let may = |byte: u8| matches!(byte, ..b' ' | 0x7F | 0xC2 | 0xD8 | 0xE2 | 0xF3) && byte != b'\n' && byte != b'\t';
    text.bytes().fold(false, |found, byte| found | may(byte))
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
