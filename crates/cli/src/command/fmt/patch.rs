//! What changed in a file, as a patch.

/// How many lines are shown around a change.
const AROUND: usize = 3;

/// The change of a file in the form that `patch` and `git apply` read, in one hunk.
pub(super) fn patch(path: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let (old, new) = (lines(old), lines(new));
    let same = |(a, b): &(&&[u8], &&[u8])| a == b;
    let before = old.iter().zip(&new).take_while(same).count();
    let after = old[before..].iter().rev().zip(new[before..].iter().rev()).take_while(same).count();
    let first = before.saturating_sub(AROUND);
    let rest = after.saturating_sub(AROUND);
    let length = |lines: &[&[u8]]| lines.len() - rest - first;
    let start = |count: usize| if count == 0 { first } else { first + 1 };
    let (old_length, new_length) = (length(&old), length(&new));
    let mut patch = format!(
        "--- a/{path}\n+++ b/{path}\n@@ -{},{old_length} +{},{new_length} @@\n",
        start(old_length),
        start(new_length)
    )
    .into_bytes();
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    for (sign, lines) in [
        (b' ', &old[first..before]),
        (b'-', &old[before..old_end]),
        (b'+', &new[before..new_end]),
        (b' ', &old[old_end..old.len() - rest]),
    ] {
        for line in lines {
            patch.push(sign);
            patch.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                patch.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    patch
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

#[cfg(test)]
mod tests;
