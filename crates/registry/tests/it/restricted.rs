//! Folders that rules restrict.

use repertoire_core::{Skill, SourceErrorKind, Trust};
use repertoire_registry::{
    Authority, MemorySource, Mount, Registered, RuleSet, RuleStack, SkillRegistry, Status,
};

/// Returns a source with the skills `tidy` and `tidy-up`, each in a folder of its name below `/skills`.
fn source(name: &str) -> MemorySource<Skill> {
    let source = MemorySource::new(name);
    for id in ["tidy", "tidy-up"] {
        let skill = Skill::new(id.parse().expect("a good id"), "Does it.");
        let skill = skill.from_location(format!("/skills/{id}/SKILL.md"));
        source
            .register(Registered::new(skill, "Body."))
            .expect("it is new");
    }
    source
}

async fn registry(trust: Trust) -> SkillRegistry {
    let mount = Mount::user(source("home")).trust(trust);
    let registry = SkillRegistry::builder().mount(mount).load().await;
    registry.expect("it has one source")
}

fn restricting(folders: &[&str]) -> RuleStack {
    let level = RuleSet::new("policy", Authority::RestrictOnly);
    let restrict = |level: RuleSet, folder: &&str| level.restrict(*folder);
    RuleStack::new([folders.iter().fold(level, restrict)])
}

fn trust(registry: &SkillRegistry) -> [Trust; 2] {
    ["tidy", "tidy-up"].map(|id| registry.get(id).expect("it is listed").candidate.trust)
}

#[tokio::test]
async fn restricted_folders_lower_the_trust() {
    use Trust::{Pending, Restricted, Trusted};

    for (of_source, lowered) in [
        (Trusted, Restricted),
        (Restricted, Restricted),
        (Pending, Pending),
    ] {
        let registry = registry(of_source).await;
        for (folders, expected) in [
            (&["/skills/tidy"][..], [lowered, of_source]),
            (&["/skills/tidy", "/other"], [lowered, of_source]),
            (&["/skills"], [lowered; 2]),
            (&["/skill"], [of_source; 2]),
            (&[], [of_source; 2]),
        ] {
            registry.set_rules(&restricting(folders));
            assert_eq!(trust(&registry), expected, "{folders:?}");
        }
    }
}

#[tokio::test]
async fn a_restriction_is_a_change() {
    let registry = registry(Trust::Trusted).await;
    let mut subscription = registry.subscribe();
    let before = registry.get("tidy").expect("it is listed");
    registry.set_rules(&restricting(&["/skills/tidy"]));
    let update = subscription.next().await.expect("it is open");
    assert_eq!(update.change.summary().to_string(), "~ tidy (trust)");
    // The trusted candidate of before is not read any more.
    let error = registry.body(&before.candidate).await;
    assert_eq!(
        error.expect_err("it is restricted").kind(),
        SourceErrorKind::Unavailable
    );
    let now = registry.get("tidy").expect("it is listed");
    let body = registry.body(&now.candidate).await.expect("it is readable");
    assert_eq!(
        (&*body.text, now.candidate.status),
        ("Body.", Status::Active)
    );
}

#[tokio::test]
async fn no_session_lifts_a_restriction() {
    let base = registry(Trust::Trusted).await;
    let session = base.overlay().rules(restricting(&["/skills/tidy-up"]));
    let session = session.load().await.expect("it has no sources");
    assert_eq!(trust(&session), [Trust::Trusted, Trust::Restricted]);
    let entry = session.get("tidy-up").expect("it is listed");
    let body = session.body(&entry.candidate).await;
    assert_eq!(&*body.expect("it is readable").text, "Body.");
    base.set_rules(&restricting(&["/skills/tidy"]));
    assert_eq!(trust(&session), [Trust::Restricted; 2]);
    assert_eq!(trust(&base), [Trust::Restricted, Trust::Trusted]);
}

#[tokio::test]
async fn recomposed_registries_restrict_as_before() {
    let registry = registry(Trust::Trusted).await;
    registry.set_rules(&restricting(&["/skills/tidy"]));
    let again = SkillRegistry::builder()
        .user(source("home"))
        .rules(restricting(&[]));
    registry.recompose(again).await.expect("it has one source");
    assert_eq!(trust(&registry), [Trust::Restricted, Trust::Trusted]);
    let rules = registry.snapshot().rules().clone();
    let again = SkillRegistry::builder()
        .user(source("home"))
        .rules(rules.clone());
    registry.recompose(again).await.expect("it has one source");
    assert_eq!(*registry.snapshot().rules(), rules);
    registry.set_rules(&restricting(&[]));
    assert_eq!(trust(&registry), [Trust::Trusted; 2]);
}
