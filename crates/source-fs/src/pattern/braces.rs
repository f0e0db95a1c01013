//! Alternatives in patterns: `{a,b}`.

/// The limit of alternatives of one pattern.
const MAX: usize = 1_000;

/// Returns the alternatives of `pattern`, in order. Braces nest and may hold separators, so this comes before splitting into folders.
pub(super) fn expand(pattern: &str) -> Result<Vec<String>, String> {
    let mut done = Vec::new();
    // Alternatives that may hold braces, the next one last.
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        if done.len() + open.len() >= MAX {
            return Err(format!("`{pattern}` stands for more than {MAX} patterns"));
        }
        match first_group(&next).map_err(|message| format!("`{pattern}` {message}"))? {
            None => done.push(next),
            Some(group) => {
                let (before, after) = (&next[..group.open], &next[group.close + 1..]);
                open.extend(
                    group
                        .choices(&next)
                        .into_iter()
                        .rev()
                        .map(|choice| format!("{before}{choice}{after}")),
                );
            }
        }
    }
    Ok(done)
}

/// The byte positions of an outermost pair of braces and of the commas directly in it.
struct BraceGroup {
    open: usize,
    commas: Vec<usize>,
    close: usize,
}

impl BraceGroup {
    fn choices<'a>(&self, pattern: &'a str) -> Vec<&'a str> {
        let starts = std::iter::once(&self.open).chain(&self.commas);
        let ends = self.commas.iter().chain(std::iter::once(&self.close));
        starts
            .zip(ends)
            .map(|(start, end)| &pattern[start + 1..*end])
            .collect()
    }
}

fn first_group(pattern: &str) -> Result<Option<BraceGroup>, &'static str> {
    let mut group: Option<BraceGroup> = None;
    let mut depth = 0;
    let mut in_class = false;
    let mut bytes = pattern.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b']' => in_class = false,
            _ if in_class => {}
            b'[' => {
                in_class = true;
                // A `]` that comes first is a letter of the class.
                let negated = matches!(pattern.as_bytes().get(at + 1), Some(b'!' | b'^'));
                let first = at + 1 + usize::from(negated);
                let letters = usize::from(negated)
                    + usize::from(pattern.as_bytes().get(first) == Some(&b']'));
                (0..letters).for_each(|_| {
                    bytes.next();
                });
            }
            b'{' => {
                depth += 1;
                group.get_or_insert(BraceGroup {
                    open: at,
                    commas: Vec::new(),
                    close: at,
                });
            }
            b',' if depth == 1 => {
                if let Some(group) = &mut group {
                    group.commas.push(at);
                }
            }
            b'}' => match (&mut depth, &mut group) {
                (1, Some(group)) => {
                    group.close = at;
                    return Ok(Some(BraceGroup {
                        open: group.open,
                        commas: std::mem::take(&mut group.commas),
                        close: at,
                    }));
                }
                (0, _) => return Err("has a `}` without `{`"),
                (depth, _) => *depth -= 1,
            },
            _ => {}
        }
    }
    if group.is_some() {
        Err("has a `{` without `}`")
    } else {
        Ok(None)
    }
}
