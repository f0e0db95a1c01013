//! Content that rules deny.

use repertoire_core::{Digest, Skill, SourceErrorKind};
use repertoire_registry::{Authority, Registered, RuleSet, RuleStack, SkillRegistry, Status};

const PROGRAM: &str = "rm -r /";

/// Returns a registry with the skills `tidy`, which has a program, and `greet`.
async fn registry() -> SkillRegistry {
    let registry = SkillRegistry::builder().load().await.expect("it is empty");
    let skill = |name: &str| {
        let id = name.parse().expect("a good id");
        Registered::new(Skill::new(id, "Does it."), format!("Body of {name}."))
    };
    let path = "run.sh".parse().expect("a path");
    let tidy = skill("tidy").with_resource(path, PROGRAM);
    registry
        .register_all([tidy, skill("greet")])
        .expect("they are new");
    registry
}

fn denying(content: Digest) -> RuleStack {
    RuleStack::new([RuleSet::new("policy", Authority::RestrictOnly).deny(content)])
}

/// Returns the results of every way to read a skill: the kind of the error, if there is one.
async fn read(registry: &SkillRegistry, id: &str) -> [Option<SourceErrorKind>; 4] {
    let entry = registry.get(id).expect("it is listed");
    let candidate = &entry.candidate;
    let path = match id {
        "tidy" => "run.sh",
        _ => "none.sh",
    };
    let path = path.parse().expect("a path");
    [
        registry
            .body(candidate)
            .await
            .err()
            .map(|error| error.kind()),
        registry
            .resources(candidate)
            .await
            .err()
            .map(|error| error.kind()),
        registry
            .manifest(candidate)
            .await
            .err()
            .map(|error| error.kind()),
        registry
            .resource(candidate, &path)
            .await
            .err()
            .map(|error| error.kind()),
    ]
}

const GOOD: [Option<SourceErrorKind>; 4] = [None; 4];
const DENIED: [Option<SourceErrorKind>; 4] = [Some(SourceErrorKind::Denied); 4];

#[tokio::test]
async fn denied_content_is_never_read() {
    let registry = registry().await;
    let tidy = registry.get("tidy").expect("it is listed");
    let manifest = registry
        .manifest(&tidy.candidate)
        .await
        .expect("it is readable");
    let body = registry
        .body(&tidy.candidate)
        .await
        .expect("it is readable");
    assert_eq!(read(&registry, "tidy").await, GOOD);
    for content in [Digest::of(PROGRAM.as_bytes()), manifest.digest()] {
        registry.set_rules(&denying(content));
        assert_eq!(read(&registry, "tidy").await, DENIED, "{content}");
        let [_, resources, ..] = read(&registry, "greet").await;
        assert_eq!(resources, None);
        assert!(
            registry
                .body(&registry.get("greet").expect("it is listed").candidate)
                .await
                .is_ok()
        );
        registry.set_rules(&RuleStack::default());
        assert_eq!(read(&registry, "tidy").await, GOOD);
    }
    registry.set_rules(&denying(body.digest));
    let error = registry
        .body(&tidy.candidate)
        .await
        .expect_err("it is denied");
    let expected = format!(
        "the content `{}` of `tidy` is denied by the rules of `policy`",
        body.digest
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn no_level_allows_denied_content() {
    let base = registry().await;
    let session = base.overlay();
    let enabling =
        RuleSet::new("session", Authority::Full).enable("tidy".parse().expect("a target"));
    let session = session.rules(RuleStack::new([enabling]));
    let session = session.load().await.expect("it has no sources");
    assert_eq!(read(&session, "tidy").await, GOOD);
    base.set_rules(&denying(Digest::of(PROGRAM.as_bytes())));
    assert_eq!(read(&session, "tidy").await, DENIED);
    let status = session.get("tidy").map(|entry| entry.candidate.status);
    assert_eq!(status, Some(Status::Active));
}
