//! Globs over paths and over the names of tools.

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs, compiled into as few sets as the limit of a set allows.
#[derive(Debug)]
pub(crate) struct Globs<const OVER: char> {
    patterns: Vec<String>,
    sets: Vec<(GlobSet, Vec<usize>)>,
    faults: Vec<Option<String>>,
}

/// Globs over paths: `*` and `?` end at a slash.
pub(crate) type PathGlobs = Globs<'/'>;
/// Globs over names of tools, in which no character is special.
pub(crate) type ToolGlobs = Globs<'\0'>;

impl<const OVER: char> Globs<OVER> {
    pub(crate) fn new(patterns: Vec<String>) -> Globs<OVER> {
        let mut globs = Vec::new();
        let mut faults = vec![None; patterns.len()];
        for (number, pattern) in patterns.iter().enumerate() {
            match glob(pattern, OVER == '/') {
                Ok(glob) => globs.push((number, glob)),
                Err(fault) => faults[number] = Some(fault),
            }
        }
        let mut sets = Vec::new();
        build(&globs, &mut sets, &mut faults);
        Globs {
            patterns,
            sets,
            faults,
        }
    }

    pub(crate) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    pub(crate) fn fault(&self, pattern: usize) -> Option<&str> {
        self.faults[pattern].as_deref()
    }

    pub(crate) fn matches(&self, text: &str) -> Vec<usize> {
        let candidate = Candidate::new(text);
        self.sets
            .iter()
            .flat_map(|(set, numbers): &(GlobSet, Vec<usize>)| {
                set.matches_candidate(&candidate)
                    .into_iter()
                    .map(|at| numbers[at])
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

fn build(
    globs: &[(usize, Glob)],
    sets: &mut Vec<(GlobSet, Vec<usize>)>,
    faults: &mut [Option<String>],
) {
    if globs.is_empty() {
        return;
    }
    let mut builder = GlobSetBuilder::new();
    globs.iter().for_each(|(_, glob)| {
        builder.add(glob.clone());
    });
    match (builder.build(), globs) {
        (Ok(set), _) => sets.push((set, globs.iter().map(|(number, _)| *number).collect())),
        (Err(error), [(number, _)]) => faults[*number] = Some(error.kind().to_string()),
        (Err(_), _) => {
            let (left, right) = globs.split_at(globs.len() / 2);
            build(left, sets, faults);
            build(right, sets, faults);
        }
    }
}

/// `*`, `?`, `**` and `{a,b}` are special, and nothing else: brackets are common in the names of files.
///
/// Of a path, one without a slash matches the last part; one that ends with a slash, everything below.
fn glob(pattern: &str, over_paths: bool) -> Result<Glob, String> {
    let mut pattern = pattern.replace('[', "\\[").replace(']', "\\]");
    if over_paths {
        if pattern.starts_with('!') {
            return Err("a glob that takes away has nothing to take from".to_owned());
        }
        let is_rooted = pattern.trim_end_matches('/').contains('/');
        pattern = pattern
            .strip_prefix("./")
            .or(pattern.strip_prefix('/'))
            .unwrap_or(&pattern)
            .to_owned();
        if pattern.ends_with('/') {
            pattern.push_str("**");
        }
        if !is_rooted {
            pattern.insert_str(0, "**/");
        }
    }
    let glob = GlobBuilder::new(&pattern)
        .literal_separator(over_paths)
        .backslash_escape(true)
        .build();
    glob.map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests;
