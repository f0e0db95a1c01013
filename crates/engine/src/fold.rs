//! Letters without their case, and scripts without blanks.

/// Adds `c` without its letter case: through upper case, which brings `ß` to `ss` and both sigmas together.
pub(crate) fn fold(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else {
        out.extend(c.to_uppercase().flat_map(char::to_lowercase));
    }
}

/// Whether `c` is of a script that puts no blanks between words, or joins to them what other scripts would set apart.
pub(crate) fn is_unspaced(c: char) -> bool {
    // By block: Thai and Lao, Myanmar, Khmer, kana, Hangul, ideographs.
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}
