//! Keys that are nearly those of a field.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use strsim::osa_distance;

use super::recovery::WIDE_COLON;
use super::table::FieldTable;
use crate::declared::LIMITING;

const READ: &str = "name id description license compatibility metadata argument-hint arguments paths when_to_use when-to-use \
    triggers tags keywords required_tools required-tools workflow verification functional-tier functional_tier tier \
    invoke-level invoke_level tools references import_path import-path surface surface-mode surfaceMode";

/// The bits of a place of a key of which [`meant_by`] remembers the result.
const BITS: u32 = 8;

thread_local! {
    /// The last key of each place.
    static MEANT: RefCell<Vec<Option<MeantKey>>> = const { RefCell::new(Vec::new()) };
}

/// A key, and what it is meant for.
#[derive(Clone)]
struct MeantKey {
    /// Owned, so that no other key gets the same address.
    key: Arc<str>,
    meant: Option<&'static str>,
}

/// Returns what [`meant`] returns for a key that most files share.
pub(super) fn meant_by(key: &Arc<str>) -> Option<&'static str> {
    if key.len() > LONGEST {
        return None;
    }
    MEANT.with_borrow_mut(|slots| {
        slots.resize(1 << BITS, None);
        let address = Arc::as_ptr(key).cast::<u8>().addr();
        let slot = &mut slots[spread(address as u64, BITS)];
        match slot {
            Some(known) if Arc::ptr_eq(&known.key, key) => known.meant,
            _ => {
                let meant = meant(key);
                *slot = Some(MeantKey {
                    key: key.clone(),
                    meant,
                });
                meant
            }
        }
    })
}

/// Returns a number of `bits` bits. The lowest bits of an address alone would be those of the allocator's steps.
fn spread(hash: u64, bits: u32) -> usize {
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
}

/// Returns the field that an unknown `key` is probably meant for.
///
/// That is one that differs in letter case, separators, invisible characters, or in few letters: two of a long name, one
/// of a shorter one, none of a short one. A key with a word more is the author's own.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    let known = &*KNOWN;
    if known.iter().any(|known| known.key == key) || key.len() > LONGEST {
        return None;
    }
    let normalized = normalized(key);
    let (length, letters, words) = (normalized.chars().count(), letters(&normalized), words(key));
    let near = known.iter().filter_map(|known| {
        // Each slip changes the length by one letter at most, and the set of letters by two.
        if known.normalized.len().abs_diff(length) > known.slips
            || (letters ^ known.letters).count_ones() as usize > 2 * known.slips
        {
            return None;
        }
        let distance = osa_distance(&normalized, &known.normalized);
        (distance == 0 || distance <= known.slips && words <= known.words)
            .then_some((distance, known.key))
    });
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

struct KnownKey {
    key: &'static str,
    normalized: String,
    letters: u32,
    slips: usize,
    words: usize,
}

static KNOWN: LazyLock<Vec<KnownKey>> = LazyLock::new(|| {
    let keys = LIMITING.into_iter().chain(READ.split_ascii_whitespace());
    keys.map(|key| {
        let normalized = normalized(key);
        KnownKey {
            key,
            letters: letters(&normalized),
            normalized,
            slips: slips(key),
            words: words(key),
        }
    })
    .collect()
});

const LONGEST: usize = 48;

fn slips(known: &str) -> usize {
    match known.len() {
        0..=5 => 0,
        6..=7 => 1,
        _ => 2,
    }
}

fn normalized(key: &str) -> String {
    key.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn letters(normalized: &str) -> u32 {
    let bits = normalized.bytes().map(|byte| {
        if byte.is_ascii_lowercase() {
            byte - b'a'
        } else {
            26
        }
    });
    bits.fold(0, |letters, bit| letters | 1 << bit)
}

fn words(key: &str) -> usize {
    let (mut words, mut last) = (0, '-');
    for c in key.chars() {
        let begins = !last.is_alphanumeric() || c.is_uppercase() && last.is_lowercase();
        words += usize::from(c.is_alphanumeric() && begins);
        last = c;
    }
    words
}

/// A place that looks like a field which is missing.
pub(super) struct LookAlike {
    pub(super) at: usize,
    /// The fault, in words that follow "on line 3".
    pub(super) fault: String,
    /// The text of its value.
    pub(super) text: String,
}

impl LookAlike {
    /// Finds what looks like the missing field `key`: among the fields of `table`, then on the lines of `yaml` in `text`.
    pub(super) fn find(
        key: &str,
        table: &FieldTable,
        text: &str,
        yaml: Range<usize>,
    ) -> Option<LookAlike> {
        let keys = table.fields.iter().zip(&table.marks);
        let mut near = keys.filter(|((other, _), _)| meant(other) == Some(key));
        if let Some(((other, value), mark)) = near.next() {
            let shown = crate::text::quoted(other);
            let fault = match shown.trim() == key {
                true => format!("a character that is not seen stands at `{key}`"),
                false => format!("`{}` is not `{key}`", shown.trim()),
            };
            let text = value.as_text().unwrap_or_default().trim().to_owned();
            return Some(LookAlike {
                at: mark.key,
                fault,
                text,
            });
        }
        let mut at = yaml.start;
        text[yaml].split_inclusive(['\n', '\r']).find_map(|line| {
            let start = at;
            at += line.len();
            let content = line
                .trim_start_matches(|c: char| !c.is_alphanumeric() && !c.is_ascii_punctuation());
            let written = content.trim_start_matches(['"', '\'']);
            let rest = written
                .get(key.len()..)
                .filter(|_| written[..key.len()].eq_ignore_ascii_case(key))?;
            let rest = rest.trim_start_matches(|c: char| {
                !c.is_alphanumeric() && !c.is_ascii() && c != WIDE_COLON
            });
            let rest = rest.trim_start_matches(['"', '\'', ' ', '\t']);
            let (fault, text) = match (rest.strip_prefix(':'), rest.strip_prefix(WIDE_COLON)) {
                (Some(text), _) => (format!("`{key}` does not begin its line"), text),
                (None, Some(text)) => (
                    format!("`{WIDE_COLON}` behind `{key}` is not a colon"),
                    text,
                ),
                (None, None) => return None,
            };
            let at = start + (line.len() - content.len());
            Some(LookAlike {
                at,
                fault,
                text: text.trim().trim_matches('"').to_owned(),
            })
        })
    }
}

#[cfg(test)]
mod tests;
