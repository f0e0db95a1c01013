//! Patterns that select folders, and the folders that they can still reach.

mod braces;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use repertoire_core::SkippedFolder;

/// The file that makes a folder a skill.
pub(crate) const FILE_NAME: &str = "SKILL.md";

/// Patterns over the folders below a root. They select what a positive pattern matches and no negative one.
///
/// Each alternative without braces is a chain of segments. The [`Cursor`] of a folder holds its positions in all chains. Stepping it
/// by a name returns `None` where no pattern can match, so the walk visits no folder in vain.
#[derive(Debug, Clone)]
pub(crate) struct Patterns {
    select: Vec<SegmentChain>,
    reject: Vec<SegmentChain>,
    selection: Selection,
}

/// The kind of what patterns select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selection {
    /// Folders with a `SKILL.md`.
    Skills,
    /// Files by their names.
    Files,
}

/// One alternative: its folders, and the name of a file in the last of them.
#[derive(Debug, Clone)]
struct SegmentChain {
    folders: Vec<Segment>,
    name: Segment,
}

#[derive(Debug, Clone)]
enum Segment {
    /// `**`
    AnyDepth,
    Literal(String),
    Glob {
        matcher: GlobMatcher,
        spells_dot: bool,
    },
}

/// A folder's place in the chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cursor(Arc<Positions>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Positions {
    select: Vec<Position>,
    reject: Vec<Position>,
}

/// A chain and the first of its segments that is not matched yet.
type Position = (usize, usize);

/// An error in a pattern.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadPattern {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Patterns {
    /// Compiles patterns that select folders with a `SKILL.md`.
    pub(crate) fn new<P: AsRef<str>>(patterns: &[P]) -> Result<Patterns, (usize, BadPattern)> {
        Patterns::compile(patterns, Selection::Skills)
    }

    /// Compiles patterns that select files by their names.
    pub(crate) fn of_files<P: AsRef<str>>(patterns: &[P]) -> Result<Patterns, (usize, BadPattern)> {
        Patterns::compile(patterns, Selection::Files)
    }

    fn compile<P: AsRef<str>>(
        patterns: &[P],
        selection: Selection,
    ) -> Result<Patterns, (usize, BadPattern)> {
        let mut compiled = Patterns {
            select: Vec::new(),
            reject: Vec::new(),
            selection,
        };
        for (position, pattern) in patterns.iter().enumerate() {
            let pattern = pattern.as_ref();
            let (chains, pattern) = match pattern.strip_prefix('!') {
                Some(rest) => (&mut compiled.reject, rest),
                None => (&mut compiled.select, pattern),
            };
            let alternatives =
                braces::expand(pattern).map_err(|message| (position, message.into()))?;
            for alternative in alternatives {
                let chain = match selection {
                    Selection::Skills => SegmentChain::parse_skill(&alternative),
                    Selection::Files => SegmentChain::parse_file(&alternative),
                };
                chains.push(chain.map_err(|bad| (position, bad))?);
            }
        }
        Ok(compiled)
    }

    pub(crate) fn starts(&self) -> BTreeSet<PathBuf> {
        self.select
            .iter()
            .map(|chain| chain.folders.iter().map_while(Segment::literal).collect())
            .collect()
    }

    pub(crate) fn cursor(&self, folder: &Path) -> Option<Cursor> {
        let select = (0..self.select.len()).map(|chain| (chain, 0)).collect();
        let reject = (0..self.reject.len()).map(|chain| (chain, 0)).collect();
        let root = Cursor(Arc::new(Positions { select, reject }));
        folder
            .components()
            .try_fold(root, |cursor, component| match component {
                Component::Normal(name) => self.step(&cursor, name),
                _ => None,
            })
    }

    /// Returns the position of the folder `name` inside the folder at `cursor`, or `None` if no pattern leads there.
    pub(crate) fn step(&self, cursor: &Cursor, name: &OsStr) -> Option<Cursor> {
        let wildcards = match wildcards_match(name) {
            // Nothing below such a folder is searched, and it is not a skill itself.
            Wildcards::MatchLast if self.is_of_files() => Wildcards::Pass,
            wildcards => wildcards,
        };
        let select = step(&self.select, &cursor.0.select, name, wildcards);
        // Negative patterns match hidden folders too.
        let reject = step(&self.reject, &cursor.0.reject, name, Wildcards::Match);
        let mut rejected = reject.iter();
        let rejects_all = !self.is_of_files()
            && rejected.any(|&(chain, at)| {
                matches!(self.reject[chain].folders[at..], [Segment::AnyDepth])
            });
        if select.is_empty() || rejects_all {
            return None;
        }
        let positions = Positions { select, reject };
        Some(if positions == *cursor.0 {
            cursor.clone()
        } else {
            Cursor(Arc::new(positions))
        })
    }

    /// Returns whether the patterns select files by their names.
    pub(crate) fn is_of_files(&self) -> bool {
        self.selection == Selection::Files
    }

    /// Returns whether a file called `name` in the folder at `cursor` may be selected.
    pub(crate) fn is_wanted(&self, cursor: &Cursor, name: &OsStr) -> bool {
        match self.selection {
            Selection::Skills => name.eq_ignore_ascii_case(FILE_NAME),
            Selection::Files => {
                accepts_file(&self.select, &cursor.0.select, name)
                    && !accepts_file(&self.reject, &cursor.0.reject, name)
            }
        }
    }

    pub(crate) fn selects(&self, cursor: &Cursor) -> bool {
        accepts(&self.select, &cursor.0.select) && !self.rejects(cursor)
    }

    /// Returns whether a `SKILL.md` in the folder at `cursor` is rejected. It still ends the search there.
    pub(crate) fn rejects(&self, cursor: &Cursor) -> bool {
        accepts(&self.reject, &cursor.0.reject)
    }
}

/// The way in which wildcards match a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wildcards {
    Match,
    /// They match, but nothing below the folder.
    MatchLast,
    Pass,
}

fn wildcards_match(name: &OsStr) -> Wildcards {
    match SkippedFolder::of(name) {
        Some(SkippedFolder::Output) => Wildcards::MatchLast,
        Some(_) => Wildcards::Pass,
        None => Wildcards::Match,
    }
}

fn step(
    chains: &[SegmentChain],
    positions: &[Position],
    name: &OsStr,
    wildcards: Wildcards,
) -> Vec<Position> {
    let hidden = name.as_encoded_bytes().first() == Some(&b'.');
    let mut next = Vec::with_capacity(positions.len());
    let mut push = |place: Position| {
        if !next.contains(&place) {
            next.push(place);
        }
    };
    for &(chain, from) in positions {
        let segments = &chains[chain].folders;
        // A `**` may stand for no folder at all, so the segments behind it are tried too.
        for at in from..segments.len() {
            let (wild, after) = match &segments[at] {
                Segment::AnyDepth => (!hidden, at),
                Segment::Literal(literal) if name == literal.as_str() => {
                    push((chain, at + 1));
                    (false, at)
                }
                Segment::Literal(_) => (false, at),
                glob @ Segment::Glob { .. } => (glob.is_match(name), at + 1),
            };
            match wildcards {
                Wildcards::Match if wild => push((chain, after)),
                Wildcards::MatchLast if wild && all_any_depth(&segments[after..]) => {
                    push((chain, segments.len()))
                }
                _ => {}
            }
            if !matches!(segments[at], Segment::AnyDepth) {
                break;
            }
        }
    }
    next
}

fn accepts(chains: &[SegmentChain], positions: &[Position]) -> bool {
    positions
        .iter()
        .any(|&(chain, from)| all_any_depth(&chains[chain].folders[from..]))
}

fn accepts_file(chains: &[SegmentChain], positions: &[Position], name: &OsStr) -> bool {
    positions.iter().any(|&(chain, from)| {
        let SegmentChain { folders, name: own } = &chains[chain];
        all_any_depth(&folders[from..]) && own.is_match(name)
    })
}

fn all_any_depth(segments: &[Segment]) -> bool {
    segments
        .iter()
        .all(|segment| matches!(segment, Segment::AnyDepth))
}

impl SegmentChain {
    fn parse_skill(pattern: &str) -> Result<SegmentChain, BadPattern> {
        let mut parts = SegmentChain::split(pattern)?;
        if pattern.ends_with('/') || parts.last() != Some(&FILE_NAME) {
            if parts
                .last()
                .is_some_and(|last| last.to_ascii_lowercase().ends_with(".md"))
            {
                parts.pop();
            }
            parts.push(FILE_NAME);
            return Err(BadPattern {
                message: format!("`{pattern}` does not end in `{FILE_NAME}`"),
                help: Some(format!("write `{}`", parts.join("/"))),
            });
        }
        parts.pop();
        SegmentChain::of(parts, FILE_NAME)
    }

    fn parse_file(pattern: &str) -> Result<SegmentChain, BadPattern> {
        let mut parts = SegmentChain::split(pattern)?;
        let name = parts.pop().filter(|name| *name != "**");
        let Some(name) = name.filter(|_| !pattern.ends_with('/')) else {
            return Err(BadPattern {
                message: format!("`{pattern}` does not end in the name of a file"),
                help: Some("write `**/*` for every file".into()),
            });
        };
        SegmentChain::of(parts, name)
    }

    fn of(mut parts: Vec<&str>, name: &str) -> Result<SegmentChain, BadPattern> {
        parts.dedup_by(|a, b| *a == "**" && *b == "**");
        let folders = parts.into_iter().map(Segment::parse);
        Ok(SegmentChain {
            folders: folders.collect::<Result<_, _>>()?,
            name: Segment::parse(name)?,
        })
    }

    fn split(pattern: &str) -> Result<Vec<&str>, BadPattern> {
        if pattern.starts_with('/') {
            return Err(BadPattern {
                message: format!("`{pattern}` is absolute; expected a pattern relative to a root"),
                help: Some("name the folder as a root".into()),
            });
        }
        let parts: Vec<&str> = pattern
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        if parts.contains(&"..") {
            return Err(BadPattern {
                message: format!("`{pattern}` climbs out of its root"),
                help: Some("name the folder above as a root".into()),
            });
        }
        Ok(parts)
    }
}

impl Segment {
    fn literal(&self) -> Option<&str> {
        match self {
            Segment::Literal(name) => Some(name),
            Segment::AnyDepth | Segment::Glob { .. } => None,
        }
    }

    /// Returns whether this segment matches `name`. A wildcard at the start matches no hidden name.
    fn is_match(&self, name: &OsStr) -> bool {
        let is_hidden = name.as_encoded_bytes().first() == Some(&b'.');
        match self {
            Segment::AnyDepth => !is_hidden,
            Segment::Literal(literal) => name == literal.as_str(),
            Segment::Glob {
                matcher,
                spells_dot,
            } => (!is_hidden || *spells_dot) && matcher.is_match(Path::new(name)),
        }
    }

    fn parse(part: &str) -> Result<Segment, BadPattern> {
        if part == "**" {
            return Ok(Segment::AnyDepth);
        }
        if let Some(name) = literal(part) {
            return Ok(Segment::Literal(name));
        }
        let glob = GlobBuilder::new(part)
            .literal_separator(true)
            .backslash_escape(true)
            .build();
        let matcher = glob
            .map_err(|error| BadPattern::from(error.to_string()))?
            .compile_matcher();
        Ok(Segment::Glob {
            matcher,
            spells_dot: part.starts_with(['.', '\\']),
        })
    }
}

fn literal(part: &str) -> Option<String> {
    let mut name = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' | '[' | ']' => return None,
            '\\' => name.push(chars.next()?),
            c => name.push(c),
        }
    }
    Some(name)
}

impl From<String> for BadPattern {
    fn from(message: String) -> BadPattern {
        BadPattern {
            message,
            help: None,
        }
    }
}

#[cfg(test)]
mod tests;
