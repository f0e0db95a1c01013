use super::{MAX_REPORT_BYTES, read_report, report_line};
use crate::{MissingRule, Sandbox};

#[test]
fn a_report_is_read_as_written() {
    for bits in 0..8 {
        let missing = MissingRule::ALL.into_iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0);
        let sandbox = Sandbox::partial(missing.map(|(_, rule)| rule).collect());
        let report = report_line(&sandbox);
        assert!(report.len() <= MAX_REPORT_BYTES, "{report}");
        assert_eq!(read_report(format!("{report}more\n").as_bytes()), Some((sandbox, report.len())));
    }
    for other in
        ["active\n", "\0repertoire: the sandbox is partial, without air\n", "\0repertoire: the sandbox is active"]
    {
        assert_eq!(read_report(other.as_bytes()), None, "{other:?}");
    }
}
