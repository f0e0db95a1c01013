/// Returns whether `text` consists of `parts` with any text between them. A single part is the whole text.
pub fn has_parts<'p, P>(text: &str, parts: P) -> bool
where
    P: IntoIterator<Item = &'p str, IntoIter: DoubleEndedIterator>,
{
    let mut parts = parts.into_iter();
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
