//! What may run.

use repertoire_core::{Digest, Manifest, Omission, OmissionReason, Resource, Trust};
use repertoire_render::{Approval, Approvals, Binding, Refusal, Rights, Switch, Verdict, directives};

const BODY: &str = "!`sh run.sh; cat \"notes/data.txt\"`\n!{script: scripts/a.py, n: 1}\n";

/// The binding of `body` beside files with these contents.
fn binding(body: &str, files: &[(&str, &str)]) -> Binding {
    let row = |(path, text): &(&str, &str)| {
        Resource::new(path.parse().expect("a path"), text.len() as u64, Digest::of(text.as_bytes()))
    };
    let manifest = Manifest::new(files.iter().map(row)).expect("every path is there once");
    bound(body, &manifest).in_folder("/skills/it")
}

fn bound(body: &str, manifest: &Manifest) -> Binding {
    Binding::of("home:it".parse().expect("an id"), Digest::of(body.as_bytes()), manifest)
}

#[test]
fn a_binding_has_every_file_of_the_skill() {
    let bound = binding(BODY, &[("run.sh", "1"), ("notes/data.txt", "2"), ("node_modules/x/index.js", "3")]);
    let names: Vec<_> = bound.files.keys().map(|path| path.as_str()).collect();
    assert_eq!(names, ["node_modules/x/index.js", "notes/data.txt", "run.sh"]);
    assert_eq!(bound.uncovered.as_ref(), []);
}

#[test]
fn any_change_of_any_file_asks_again() {
    let mut approvals = Approvals::default();
    let given = binding(BODY, &[("run.sh", "1"), ("lib.sh", "3")]);
    assert_eq!(approvals.approval(&given), Approval::Missing);
    approvals.approve(&given);
    assert_eq!(approvals.approval(&given), Approval::Given);
    for changed in [
        binding(BODY, &[("run.sh", "1"), ("lib.sh", "3"), ("README.md", "new")]),
        binding(BODY, &[("run.sh", "other"), ("lib.sh", "3")]),
        binding(BODY, &[("run.sh", "1"), ("lib.sh", "other")]),
        binding(BODY, &[("run.sh", "1")]),
        binding("!`other`\n", &[("run.sh", "1"), ("lib.sh", "3")]),
    ] {
        assert_eq!(approvals.approval(&changed), Approval::Outdated);
    }
    let stranger = Binding { skill: "project:it".parse().expect("an id"), ..given.clone() };
    assert_eq!(approvals.approval(&stranger), Approval::Missing);
    assert!(approvals.revoke(&given));
    assert_eq!(approvals, Approvals::default());
}

#[test]
fn another_folder_is_approved_by_itself() {
    let mut approvals = Approvals::default();
    let (here, there) = (binding(BODY, &[]), binding(BODY, &[]).in_folder("/clone/it"));
    approvals.approve(&here);
    assert_eq!((approvals.approval(&here), approvals.approval(&there)), (Approval::Given, Approval::Missing));
    approvals.approve(&there);
    assert!(approvals.revoke(&here));
    assert_eq!((approvals.approval(&here), approvals.approval(&there)), (Approval::Missing, Approval::Given));
}

#[test]
fn omissions_are_part_of_the_binding() {
    let link = |to: &str| Omission::new("lib", OmissionReason::LinkOut).detail(to);
    let with = |omissions: Vec<Omission>| bound(BODY, &Manifest::default().with_omissions(omissions));
    let mut approvals = Approvals::default();
    let given = with(vec![link("../a"), Omission::new("cache", OmissionReason::Cache)]);
    approvals.approve(&given);
    assert_eq!(given.uncovered.as_ref(), [link("../a")]);
    assert_eq!(approvals.approval(&given), Approval::Given);
    for changed in [with(vec![link("../b")]), with(vec![]), with(vec![link("../a").with_digest(Digest::of(b"x"))])] {
        assert_eq!(approvals.approval(&changed), Approval::Outdated);
    }
}

#[test]
fn approvals_survive_being_stored() {
    let mut approvals = Approvals::default();
    approvals.approve(&binding(BODY, &[("run.sh", "1")]));
    let text = serde_json::to_string(&approvals).expect("they are plain data");
    assert_eq!(serde_json::from_str::<Approvals>(&text).expect("they were stored"), approvals);
}

#[test]
fn an_approval_of_named_files_counts_no_more() {
    let now = bound(BODY, &Manifest::default());
    let old = format!(r#"{{"approved":[{{"skill":"home:it","skill_md":"{}","files":{{}}}}]}}"#, now.skill_md);
    let mut approvals: Approvals = serde_json::from_str(&old).expect("what was stored before is read");
    assert_eq!(approvals.approval(&now), Approval::Outdated);
    assert!(approvals.revoke(&now.in_folder("/skills/it")));
    assert_eq!(approvals, Approvals::default());
}

#[test]
fn the_first_refusal_is_returned() {
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
