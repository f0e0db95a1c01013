//! Links from `never` lines to tests.

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bound<'a> {
    pub(crate) case: &'a str,
    pub(crate) words: &'a str,
    /// The file of the test, relative to the root of the workspace.
    pub(crate) file: &'a str,
    pub(crate) test: &'a str,
}

const TABLE: &str = include_str!("bound.txt");

pub(crate) fn rows() -> impl Iterator<Item = Bound<'static>> {
    let rows = TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
        [case, words, file, test] => Bound {
            case,
            words,
            file,
            test,
        },
        _ => panic!("a row of the table has four columns: `{line}`"),
    })
}

pub(crate) fn bound(case: &str, words: &str) -> Option<Bound<'static>> {
    rows().find(|row| row.case == case && row.words == words)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_bound_test_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for row in rows() {
            let text = fs::read_to_string(root.join(row.file))
                .unwrap_or_else(|error| panic!("{}: {error}", row.file));
            let test = text.split_once(&format!("fn {}(", row.test));
            let (before, _) =
                test.unwrap_or_else(|| panic!("no test `{}` in {}", row.test, row.file));
            let attributes = before.rsplit("\n\n").next().unwrap_or_default();
            assert!(
                attributes.contains("#[test]") || attributes.contains("test]"),
                "`{}` is not a test",
                row.test
            );
        }
    }

    #[test]
    fn a_line_is_bound_once() {
        let rows: Vec<_> = rows().map(|row| (row.case, row.words)).collect();
        let mut once = rows.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(rows.len(), once.len());
    }
}
