//! Letters without their case and their accents, and scripts without blanks.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// Adds `c` without its letter case: through upper case, which brings `ß` to `ss` and both sigmas together.
pub fn fold(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else {
        out.extend(c.to_uppercase().flat_map(char::to_lowercase));
    }
}

/// Returns `word`, folded and composed, as it is typed without accents; `None` where that is the same.
///
/// Latin, Greek and Cyrillic letters lose their marks, Arabic ones their vowels and the forms of alef, Hebrew ones their points.
/// Marks of other scripts distinguish words and stay.
pub(crate) fn bare(word: &str) -> Option<String> {
    if word.is_ascii() || word.chars().all(is_unspaced) {
        return None;
    }
    let mut bare = String::with_capacity(word.len());
    for c in word.chars() {
        if c.is_ascii() || is_unspaced(c) {
            bare.push(c);
            continue;
        }
        decompose_canonical(c, |part| {
            if !is_accent(part) {
                match letter(part) {
                    Some(letters) => bare.push_str(letters),
                    None => bare.push(part),
                }
            }
        });
    }
    // What keeps its marks is composed again.
    let bare: String = bare.nfc().collect();
    (bare != word && !bare.is_empty()).then_some(bare)
}

fn is_accent(c: char) -> bool {
    matches!(u32::from(c),
        0x0300..=0x036F | 0x0483..=0x0487 | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7
        | 0x0610..=0x061A | 0x0640 | 0x064B..=0x065F | 0x0670 | 0x06D6..=0x06DC | 0x06DF..=0x06E4 | 0x06E7..=0x06E8
        | 0x06EA..=0x06ED | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF)
}

fn letter(c: char) -> Option<&'static str> {
    Some(match c {
        'ł' => "l",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ŋ' => "n",
        'ı' => "i",
        'ə' => "e",
        'æ' => "ae",
        'œ' => "oe",
        'ß' => "ss",
        'þ' => "th",
        'ς' => "σ",
        'ґ' => "г",
        'ٱ' => "ا",
        'ى' | 'ی' => "ي",
        'ک' => "ك",
        'ة' => "ه",
        _ => return None,
    })
}

/// Returns whether `c` is of a script that puts no blanks between words, or joins to them what other scripts separate.
pub fn is_unspaced(c: char) -> bool {
    // By block: Thai and Lao, Myanmar, Khmer, kana, Hangul, ideographs.
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

#[cfg(test)]
mod tests;
