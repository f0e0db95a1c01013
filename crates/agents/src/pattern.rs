//! Patterns over names of tools, in which `*` stands for any text, also none.

/// Returns whether `pattern` matches the whole of `name`.
pub fn matches(pattern: &str, name: &str) -> bool {
    let name: Vec<_> = name.chars().map(Some).collect();
    matches_symbols(pattern, &name)
}

/// Returns whether `outer` matches every name that `inner` matches.
///
/// The answer is exact: a `*` of `inner` becomes a symbol that no literal equals, so only a `*` of `outer` can match it.
pub(crate) fn contains(outer: &str, inner: &str) -> bool {
    let inner: Vec<_> = inner.chars().map(|c| (c != '*').then_some(c)).collect();
    matches_symbols(outer, &inner)
}

/// Returns whether some name matches both patterns.
pub(crate) fn overlap(left: &str, right: &str) -> bool {
    let left: Vec<_> = left.chars().collect();
    let right: Vec<_> = right.chars().collect();
    // `row[j]` answers for the rests `left[i..]` and `right[j..]`.
    let mut below = vec![false; right.len() + 1];
    for i in (0..=left.len()).rev() {
        let mut row = vec![false; right.len() + 1];
        for j in (0..=right.len()).rev() {
            let (a, b) = (left.get(i), right.get(j));
            row[j] = match (a, b) {
                (None, None) => true,
                (Some('*'), None) => below[j],
                (None, Some('*')) => row[j + 1],
                (Some('*'), Some(_)) | (Some(_), Some('*')) => below[j] || row[j + 1],
                (Some(a), Some(b)) => a == b && below[j + 1],
                _ => false,
            };
        }
        below = row;
    }
    below[0]
}

fn matches_symbols(pattern: &str, symbols: &[Option<char>]) -> bool {
    let pattern: Vec<_> = pattern.chars().collect();
    let (mut at, mut symbol) = (0, 0);
    // The last `*`, and the symbol up to which it reaches.
    let mut star: Option<(usize, usize)> = None;
    while symbol < symbols.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, symbol));
                at += 1;
            }
            Some(c) if Some(*c) == symbols[symbol] => {
                at += 1;
                symbol += 1;
            }
            _ => match star {
                Some((place, reached)) => {
                    star = Some((place, reached + 1));
                    at = place + 1;
                    symbol = reached + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_any_text() {
        for (pattern, name, is_match) in [
            ("Bash", "Bash", true),
            ("Bash", "Bash2", false),
            ("mcp__github__*", "mcp__github__list", true),
            ("mcp__github__*", "mcp__git__list", false),
            ("*list", "list_list", true),
            ("a*a", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }

    #[test]
    fn containment_and_overlap_of_patterns() {
        for (outer, inner, contained, overlapping) in [
            ("*", "a*b", true, true),
            ("a*", "a*b", true, true),
            ("a*b", "a*", false, true),
            ("a*", "b*", false, false),
            ("*x", "a*", false, true),
            ("a*a", "a", false, false),
            ("a**", "a", true, true),
            ("", "*", false, true),
            ("mcp__github__*", "mcp__github__get_*", true, true),
            ("ab", "ba", false, false),
        ] {
            assert_eq!(contains(outer, inner), contained, "{outer} {inner}");
            assert_eq!(overlap(outer, inner), overlapping, "{outer} {inner}");
            assert_eq!(overlap(inner, outer), overlapping, "{inner} {outer}");
        }
    }

    #[test]
    fn laws_hold_for_all_short_patterns() {
        fn words(alphabet: &[&str]) -> Vec<String> {
            let mut all = vec![String::new()];
            let mut last = all.clone();
            for _ in 0..4 {
                last = last
                    .iter()
                    .flat_map(|word| alphabet.iter().map(move |c| format!("{word}{c}")))
                    .collect();
                all.extend(last.iter().cloned());
            }
            all
        }
        let names = words(&["a", "b"]);
        for left in words(&["a", "*"]) {
            for right in words(&["b", "*"]) {
                let both = names
                    .iter()
                    .any(|name| matches(&left, name) && matches(&right, name));
                let missed = names
                    .iter()
                    .any(|name| matches(&right, name) && !matches(&left, name));
                assert!(!both || overlap(&left, &right), "{left} {right}");
                assert!(!missed || !contains(&left, &right), "{left} {right}");
            }
        }
    }
}
