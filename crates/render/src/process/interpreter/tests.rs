use proptest::prelude::*;

use super::CommandShell;

#[test]
fn a_command_is_one_argument() {
    let words = ["it's".to_owned(), "$(rm x)".to_owned()];
    for (shell, line) in [
        (
            CommandShell::Sh,
            &["/bin/sh", "-c", "--", "echo $1", "skill", "it's", "$(rm x)"][..],
        ),
        (
            CommandShell::Bash,
            &[
                "bash",
                "--noprofile",
                "--norc",
                "-c",
                "--",
                "echo $1",
                "skill",
                "it's",
                "$(rm x)",
            ],
        ),
    ] {
        assert_eq!(shell.command_line("echo $1", &words), line);
    }
}

proptest! {
    #[test]
    fn arguments_are_never_part_of_a_command(command in ".{0,40}", words in proptest::collection::vec(".{0,20}", 0..4)) {
        for shell in [CommandShell::Sh, CommandShell::Bash] {
            let without = shell.command_line(&command, &[]);
            let with = shell.command_line(&command, &words);
            prop_assert_eq!(&with[..without.len()], &without[..]);
            prop_assert_eq!(&with[without.len()..], &words[..]);
        }
    }
}
