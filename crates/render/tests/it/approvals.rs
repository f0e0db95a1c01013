//! The commands that may run.

use repertoire_core::{Digest, Manifest, Omission, OmissionReason, Resource, Trust};
use repertoire_render::{ApprovalState, Binding, CommandApprovals, Refusal};

const BODY: &str = "!`sh run.sh; cat \"notes/data.txt\"`\n!{script: scripts/a.py, n: 1}\n";

/// The binding of `body` beside files with these contents.
fn binding(body: &str, files: &[(&str, &str)]) -> Binding {
    let row = |(path, text): &(&str, &str)| {
        Resource::new(
            path.parse().expect("a path"),
            text.len() as u64,
            Digest::of(text.as_bytes()),
        )
    };
    let manifest = Manifest::new(files.iter().map(row)).expect("every path is there once");
    bound(body, &manifest).in_folder("/skills/it")
}

fn bound(body: &str, manifest: &Manifest) -> Binding {
    Binding::new(
        "home:it".parse().expect("an id"),
        Digest::of(body.as_bytes()),
        manifest,
    )
}

#[test]
fn a_binding_has_every_file_of_the_skill() {
    let bound = binding(
        BODY,
        &[
            ("run.sh", "1"),
            ("notes/data.txt", "2"),
            ("node_modules/x/index.js", "3"),
        ],
    );
    let names: Vec<_> = bound.files.keys().map(|path| path.as_str()).collect();
    assert_eq!(
        names,
        ["node_modules/x/index.js", "notes/data.txt", "run.sh"]
    );
    assert_eq!(bound.uncovered.as_ref(), []);
}

#[test]
fn any_change_of_any_file_asks_again() {
    let mut approvals = CommandApprovals::default();
    let given = binding(BODY, &[("run.sh", "1"), ("lib.sh", "3")]);
    assert_eq!(approvals.state(&given), ApprovalState::Missing);
    approvals.approve(&given);
    assert_eq!(approvals.state(&given), ApprovalState::Given);
    for changed in [
        binding(
            BODY,
            &[("run.sh", "1"), ("lib.sh", "3"), ("README.md", "new")],
        ),
        binding(BODY, &[("run.sh", "other"), ("lib.sh", "3")]),
        binding(BODY, &[("run.sh", "1"), ("lib.sh", "other")]),
        binding(BODY, &[("run.sh", "1")]),
        binding("!`other`\n", &[("run.sh", "1"), ("lib.sh", "3")]),
    ] {
        assert_eq!(approvals.state(&changed), ApprovalState::Outdated);
    }
    let stranger = Binding::new(
        "project:it".parse().expect("an id"),
        Digest::of(BODY.as_bytes()),
        &Manifest::default(),
    );
    assert_eq!(approvals.state(&stranger), ApprovalState::Missing);
    assert!(approvals.revoke(&given));
    assert_eq!(approvals, CommandApprovals::default());
}

#[test]
fn another_folder_is_approved_by_itself() {
    let mut approvals = CommandApprovals::default();
    let (here, there) = (
        binding(BODY, &[]),
        binding(BODY, &[]).in_folder("/clone/it"),
    );
    approvals.approve(&here);
    assert_eq!(
        (approvals.state(&here), approvals.state(&there)),
        (ApprovalState::Given, ApprovalState::Missing)
    );
    approvals.approve(&there);
    assert!(approvals.revoke(&here));
    assert_eq!(
        (approvals.state(&here), approvals.state(&there)),
        (ApprovalState::Missing, ApprovalState::Given)
    );
}

#[test]
fn omissions_are_part_of_the_binding() {
    let link = |to: &str| Omission::new("lib", OmissionReason::LinkOut).detail(to);
    let with =
        |omissions: Vec<Omission>| bound(BODY, &Manifest::default().with_omissions(omissions));
    let mut approvals = CommandApprovals::default();
    let given = with(vec![
        link("../a"),
        Omission::new("cache", OmissionReason::Cache),
    ]);
    approvals.approve(&given);
    assert_eq!(given.uncovered.as_ref(), [link("../a")]);
    assert_eq!(approvals.state(&given), ApprovalState::Given);
    for changed in [
        with(vec![link("../b")]),
        with(vec![]),
        with(vec![link("../a").with_digest(Digest::of(b"x"))]),
    ] {
        assert_eq!(approvals.state(&changed), ApprovalState::Outdated);
    }
}

#[test]
fn approvals_survive_being_stored() {
    let mut approvals = CommandApprovals::default();
    approvals.approve(&binding(BODY, &[("run.sh", "1")]));
    let text = serde_json::to_string(&approvals).expect("they are plain data");
    assert_eq!(
        serde_json::from_str::<CommandApprovals>(&text).expect("they were stored"),
        approvals
    );
}

#[test]
fn an_approval_of_named_files_counts_no_more() {
    let now = bound(BODY, &Manifest::default());
    let old = format!(
        r#"{{"approved":[{{"skill":"home:it","skill_md":"{}","files":{{}}}}]}}"#,
        Digest::of(BODY.as_bytes())
    );
    let mut approvals: CommandApprovals =
        serde_json::from_str(&old).expect("what was stored before is read");
    assert_eq!(approvals.state(&now), ApprovalState::Outdated);
    assert!(approvals.revoke(&now.in_folder("/skills/it")));
    assert_eq!(approvals, CommandApprovals::default());
}

#[test]
fn the_first_refusal_is_returned() {
    use ApprovalState::{Given, Missing, Outdated};
    for (trust, state, permit) in [
        (
            Trust::Restricted,
            Given,
            Err(Refusal::Untrusted(Trust::Restricted)),
        ),
        (
            Trust::Pending,
            Missing,
            Err(Refusal::Untrusted(Trust::Pending)),
        ),
        (Trust::Trusted, Missing, Err(Refusal::Unapproved)),
        (Trust::Trusted, Outdated, Err(Refusal::Changed)),
        (Trust::Trusted, Given, Ok(())),
    ] {
        assert_eq!(state.permit(trust), permit);
    }
}
