use proptest::prelude::*;
use repertoire_core::{Listed, Listing, Revision, Skill, Stamp};
use repertoire_registry::{Claim, Layer, Origin, Tier, Trust, merge};

use super::*;
use crate::Effect;

/// A skill of a source with this trust that pre-approves these tools.
fn claim(trust: Trust, tools: &[&str]) -> Claim<Skill> {
    let mut skill = Skill::new("release".parse().unwrap(), "Releases.");
    skill.allowed_tools = Some(tools.iter().map(|tool| (*tool).into()).collect());
    let listing = Listing::new(Revision(0), [Listed::new(skill, Stamp::of("1"))], []);
    let mut layer = Layer::new(Origin::new(Tier::User, "home"), 0, listing);
    layer.trust = trust;
    merge(&[layer]).get("release").unwrap().claim.clone()
}

fn pattern(text: &str) -> ToolPattern {
    text.parse().unwrap()
}

#[test]
fn a_pattern_covers_what_it_surely_means() {
    for (text, tool, argument, covers) in [
        ("Read", "Read", "any/file", true),
        ("Read", "ReadAll", "", false),
        ("read", "Read", "", false),
        ("mcp__github__*", "mcp__github__get", "", true),
        ("mcp__github__*", "mcp__gitlab__get", "", false),
        ("Bash(*)", "Bash", "rm -rf /", true),
        ("Bash(git status)", "Bash", "git  status", true),
        ("Bash(git status)", "Bash", "git status -s", false),
        ("Bash(git:*)", "Bash", "git", true),
        ("Bash(git:*)", "Bash", "git log --oneline", true),
        ("Bash(git:*)", "Bash", "gitk", false),
        ("Bash(git *)", "Bash", "git log", true),
        ("Bash(git log *)", "Bash", "git push", false),
        ("Bash(git:*)", "Bash", "git log; rm -rf .", false),
        ("Bash(git:*)", "Bash", "git log && rm -rf .", false),
        ("Bash(git:*)", "Bash", "git log | sh", false),
        ("Bash(git:*)", "Bash", "git log > ~/.profile", false),
        ("Bash(git:*)", "Bash", "git log $(rm -rf .)", false),
        ("Bash(git:*)", "Bash", "git log `rm -rf .`", false),
        ("Bash(git:*)", "Bash", "git log\nrm -rf .", false),
        ("Bash(git:*)", "Bash", "PAGER=sh git log", false),
        ("Bash(git:*)", "Read", "git", false),
        ("Read(docs/*.md)", "Read", "docs/a/b.md", true),
        ("Read(docs/*.md)", "Read", "docs/b.txt", false),
        ("Read(docs/*.md)", "Read", "docs/../../secret.md", false),
        ("Bash(git diff:*)", "Bash", "git diff a..b", true),
    ] {
        assert_eq!(pattern(text).covers(tool, argument), covers, "{text} on {tool}({argument})");
    }
}

#[test]
fn what_a_pattern_may_be_about_is_more_than_what_it_covers() {
    for (text, argument, touches) in [
        ("Bash(git push *)", "git push", true),
        ("Bash(git push *)", "git push --force", true),
        ("Bash(git push *)", "cd x && git push --force", true),
        ("Bash(git push *)", "echo $(git push)", true),
        ("Bash(git push *)", "A=1 B=2 git push", true),
        ("Bash(git push *)", "true\ngit push", true),
        ("Bash(git push *)", "git pull", false),
        ("Bash", "whatever", true),
    ] {
        assert_eq!(pattern(text).touches("Bash", argument), touches, "{text} on {argument}");
    }
}

#[test]
fn what_could_mean_more_than_its_author_saw_is_not_read() {
    for text in [
        "",
        "*",
        "mcp__*",
        "Ba*",
        "Bash(",
        "Bash()",
        "Bash( )",
        "Bash(git",
        "Bash(git))",
        "Bash git",
        "Bash(:*)",
        "Bash(* --version)",
        "Bash(**)",
        "Bash(git:* log)",
        "Bash(git; rm:*)",
        "Bash(${HOME}/x:*)",
        "Bash(git {a,b})",
        "Read(src/[ab].rs)",
        "Read(src/?.rs)",
        "\"Read\"",
        "Bash(a\nb *)",
    ] {
        let error = text.parse::<ToolPattern>().unwrap_err().to_string();
        assert!(error.starts_with("cannot read the tool pattern `"), "{text}: {error}");
    }
}

#[test]
fn grants_last_as_long_as_the_activation_and_need_trust() {
    let effect =
        |grants: &Grants| grants.ruling("Bash", "git log").map(|ruling| (ruling.effect, ruling.rule.to_string()));
    let active = claim(Trust::Trusted, &["Bash(git:*)", "Bash(* x)"]);
    let grants = Grants::of([&active]);
    assert_eq!(effect(&grants), Some((Effect::Allow, "skill:home:release.allowed-tools".to_owned())));
    assert_eq!(grants.unread(), [("home:release".parse().unwrap(), "Bash(* x)".into())]);
    assert_eq!(effect(&Grants::of([])), None);
    for trust in [Trust::Restricted, Trust::Pending] {
        assert_eq!(Grants::of([&claim(trust, &["Bash(git:*)"])]), Grants::default(), "{trust}");
    }
    assert_eq!(effect(&Grants::of([&claim(Trust::Trusted, &[])])), None, "an empty list pre-approves nothing");
}

#[test]
fn what_the_operator_denies_stays_denied() {
    let active = claim(Trust::Trusted, &["Bash(git push *)", "Bash"]);
    let grants = Grants::of([&active]).except([pattern("Bash(git push *)")]);
    let ruling = grants.ruling("Bash", "git push --force").unwrap();
    assert_eq!((ruling.effect, &*ruling.rule), (Effect::Deny, "deny.Bash(git push *)"));
    assert_eq!(&*ruling.rationale, "the operator denies `Bash(git push *)`");
    assert_eq!(grants.ruling("Bash", "git log").map(|ruling| ruling.effect), Some(Effect::Allow));
    assert_eq!(grants.ruling("Read", "x"), None);
}

proptest! {
    /// A denial of the very pattern that a skill asks for always finds the call.
    #[test]
    fn what_a_pattern_covers_it_touches(
        said in "(git|A=1 git|x) ?(push|log)?( \\*|:\\*|\\*b)?",
        argument in "(git|A=1 git|x) {0,2}(push|log)?( |;|\n|&&|\\.\\.|/|b|\\$\\(git\\)){0,3}",
    ) {
        if let Ok(pattern) = format!("Bash({said})").parse::<ToolPattern>() {
            let (covers, touches) = (pattern.covers("Bash", &argument), pattern.touches("Bash", &argument));
            prop_assert!(!covers || touches, "{pattern} on {argument:?}");
        }
    }

    /// A wildcard grants nothing behind a sign that joins, redirects or substitutes.
    #[test]
    fn no_wildcard_covers_a_second_command(before in "[a-z ]{0,6}", sign in "[;&|<>`\n]|\\$\\(", after in "[a-z ]{0,6}") {
        let argument = format!("git {before}{sign}{after}");
        for said in ["Bash(git:*)", "Bash(git *)", "Bash(g*)", "Bash(git *x)"] {
            let covers = pattern(said).covers("Bash", &argument);
            // A sign at the very end that is white space is none.
            prop_assert!(!covers || argument.trim().len() < argument.len() && sign == "\n" && after.trim().is_empty(), "{said} on {argument:?}");
        }
    }
}
