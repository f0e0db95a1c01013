use std::ffi::{OsStr, OsString};

use super::{OutputTail, command};

#[test]
fn output_tails_retain_the_last_bytes() {
    let mut tail = OutputTail::new(4);
    for read in ["abc", "", "de", "f"] {
        tail.push(read.as_bytes());
    }
    assert_eq!(tail.text(), "cdef");
}

#[test]
fn a_supervisor_runs_the_program_behind_it() {
    let line = |supervisor: &[&str], memory| {
        let supervisor: Vec<OsString> = supervisor.iter().map(OsString::from).collect();
        let command = command(&supervisor, memory, OsStr::new("server"));
        let program = command.get_program().to_owned();
        let arguments = command.get_args().map(ToOwned::to_owned);
        std::iter::once(program)
            .chain(arguments)
            .collect::<Vec<_>>()
    };
    assert_eq!(line(&[], Some(7)), ["server"]);
    assert_eq!(
        line(&["helper", "supervise"], Some(7)),
        ["helper", "supervise", "7", "server"]
    );
    assert_eq!(line(&["helper"], None), ["helper", "-", "server"]);
}
