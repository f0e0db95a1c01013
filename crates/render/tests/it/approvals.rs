//! What may run.

use repertoire_core::{Digest, Resource, Trust};
use repertoire_render::{Approval, Approvals, Binding, Refusal, Rights, Switch, Verdict, directives};

const BODY: &str = "!`sh run.sh; cat \"notes/data.txt\"`\n!{script: scripts/a.py, n: 1}\n";

/// The binding of `body` over files with these contents.
fn binding(body: &str, files: &[(&str, &str)]) -> Binding {
    let row = |(path, text): &(&str, &str)| {
        Resource::new(path.parse().expect("a path"), text.len() as u64, Digest::of(text.as_bytes()))
    };
    let files: Vec<_> = files.iter().map(row).collect();
    Binding::of("home:it".parse().expect("an id"), Digest::of(body.as_bytes()), &directives(body), &files)
}

#[test]
fn an_approval_is_bound_to_everything_that_is_named_to_run() {
    let files = [
        ("run.sh", "1"),
        ("notes/data.txt", "2"),
        ("scripts/a.py", "3"),
        ("sh", "4"),
        ("other.sh", "5"),
        ("n.sh", "6"),
    ];
    let bound = binding(BODY, &files);
    let names: Vec<_> = bound.files.keys().map(|path| path.as_str()).collect();
    assert_eq!(names, ["notes/data.txt", "run.sh", "scripts/a.py", "sh"]);
}

#[test]
fn any_change_asks_again() {
    let mut approvals = Approvals::default();
    let given = binding(BODY, &[("run.sh", "1"), ("scripts/a.py", "3")]);
    assert_eq!(approvals.approval(&given), Approval::Missing);
    approvals.approve(given.clone());
    assert_eq!(approvals.approval(&given), Approval::Given);
    let unrelated = binding(BODY, &[("run.sh", "1"), ("scripts/a.py", "3"), ("README.md", "new")]);
    assert_eq!(approvals.approval(&unrelated), Approval::Given);
    for changed in [
        binding(BODY, &[("run.sh", "other"), ("scripts/a.py", "3")]),
        binding(BODY, &[("run.sh", "1"), ("scripts/a.py", "other")]),
        binding(BODY, &[("run.sh", "1")]),
        binding("!`other`\n", &[]),
    ] {
        assert_eq!(approvals.approval(&changed), Approval::Outdated);
    }
    let stranger = Binding { skill: "project:it".parse().expect("an id"), ..given.clone() };
    assert_eq!(approvals.approval(&stranger), Approval::Missing);
    assert!(approvals.revoke(&given.skill));
    assert_eq!(approvals, Approvals::default());
}

#[test]
fn approvals_survive_being_stored() {
    let mut approvals = Approvals::default();
    approvals.approve(binding(BODY, &[("run.sh", "1")]));
    let text = serde_json::to_string(&approvals).expect("they are plain data");
    assert_eq!(serde_json::from_str::<Approvals>(&text).expect("they were stored"), approvals);
}

#[test]
fn everybody_must_agree_and_the_first_objection_is_told() {
    let directive = &directives("!`x`\n")[0];
    let rights = |switch, trust, approval| Rights { switch, trust, approval };
    use Approval::{Given, Missing, Outdated};
    for (rights, refusal) in [
        (rights(Switch::Off, Trust::Pending, Missing), Refusal::Off),
        (rights(Switch::On, Trust::Restricted, Given), Refusal::Untrusted(Trust::Restricted)),
        (rights(Switch::On, Trust::Pending, Given), Refusal::Untrusted(Trust::Pending)),
        (rights(Switch::On, Trust::Trusted, Missing), Refusal::Unapproved),
        (rights(Switch::On, Trust::Trusted, Outdated), Refusal::Changed),
    ] {
        let asked = rights.permit(directive, |_| panic!("the gate is asked last"));
        assert_eq!(asked, Err(refusal));
    }
    let all = rights(Switch::On, Trust::Trusted, Given);
    assert_eq!(all.permit(directive, |_| Verdict::Deny("no".to_owned())), Err(Refusal::Denied("no".into())));
    assert_eq!(all.permit(directive, |_| Verdict::Allow), Ok(()));
}
