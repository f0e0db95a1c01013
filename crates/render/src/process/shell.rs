//! What runs a command.

/// What runs a command.
///
/// The one the host chooses, whatever the environment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Shell {
    /// `/bin/sh`.
    #[default]
    Sh,
    /// `bash`, without anybody's start-up files.
    Bash,
    /// PowerShell 7, `pwsh`. Its command line is built and tested; nobody has run it yet.
    PowerShell,
}

impl Shell {
    /// The program and its arguments that run `command` with `words` as positional parameters: `$1` and `"$@"` for `sh` and
    /// `bash`, `$args` for PowerShell.
    ///
    /// The command is one of them, letter for letter. No word is ever part of it.
    pub fn command_line(self, command: &str, words: &[String]) -> Vec<String> {
        let before: &[&str] = match self {
            Shell::Sh => &["/bin/sh", "-c", "--", command, "skill"],
            Shell::Bash => &["bash", "--noprofile", "--norc", "-c", "--", command, "skill"],
            Shell::PowerShell => &["pwsh", "-NoProfile", "-NonInteractive", "-CommandWithArgs", command],
        };
        before.iter().map(|part| (*part).to_owned()).chain(words.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Shell;

    #[test]
    fn a_command_is_one_part_of_the_command_line() {
        let words = ["it's".to_owned(), "$(rm x)".to_owned()];
        for (shell, line) in [
            (Shell::Sh, &["/bin/sh", "-c", "--", "echo $1", "skill", "it's", "$(rm x)"][..]),
            (Shell::Bash, &["bash", "--noprofile", "--norc", "-c", "--", "echo $1", "skill", "it's", "$(rm x)"]),
            (
                Shell::PowerShell,
                &["pwsh", "-NoProfile", "-NonInteractive", "-CommandWithArgs", "echo $1", "it's", "$(rm x)"],
            ),
        ] {
            assert_eq!(shell.command_line("echo $1", &words), line);
        }
    }

    proptest! {
        #[test]
        fn what_is_typed_is_never_part_of_a_command(command in ".{0,40}", words in proptest::collection::vec(".{0,20}", 0..4)) {
            for shell in [Shell::Sh, Shell::Bash, Shell::PowerShell] {
                let without = shell.command_line(&command, &[]);
                let with = shell.command_line(&command, &words);
                prop_assert_eq!(&with[..without.len()], &without[..]);
                prop_assert_eq!(&with[without.len()..], &words[..]);
            }
        }
    }
}
