use super::{MAX_REPORT_BYTES, read_report, report_line};
use crate::Sandbox;

#[test]
fn a_report_is_read_as_written() {
    for bits in 0..8 {
        let missing = Sandbox::RULES
            .into_iter()
            .enumerate()
            .filter(|(bit, _)| bits & (1 << bit) != 0);
        let sandbox = Sandbox::new(missing.map(|(_, rule)| rule).collect());
        let report = report_line(&sandbox).expect("it is JSON");
        assert!(report.len() <= MAX_REPORT_BYTES, "{report}");
        assert_eq!(
            read_report(format!("{report}more\n").as_bytes()),
            Some((sandbox, report.len()))
        );
    }
    for other in [
        "\"active\"\n",
        "\0repertoire-sandbox: {\"partial\":[\"air\"]}\n",
        "\0repertoire-sandbox: \"active\"",
    ] {
        assert_eq!(read_report(other.as_bytes()), None, "{other:?}");
    }
}
