//! A configuration file, read and composed as a host does it.

mod registries;

use std::sync::Arc;

use repertoire_config::{Configuration, ConfigurationError, ConfiguredSource, HostSettings};
use repertoire_core::{Id, Model, Skill, SurfaceMode, Trust};
use repertoire_registry::{
    ConfigError, MemorySource, SkillRegistry, SourceKind, SourceKinds, Status, Tier, inventory,
};
use snapbox::{IntoData, assert_data_eq, str};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    words: Vec<String>,
}

inventory::submit! {
    SourceKind::new("words", "one skill a word", |config| {
        let source = MemorySource::new(config.name.as_str());
        for (at, word) in config.options::<Words>()?.words.iter().enumerate() {
            let wrong = |message: String| ConfigError::in_option(format!("words[{at}]"), message);
            let id = Id::new(word).map_err(|error| wrong(error.to_string()))?;
            source.register(Skill::new(id, format!("Explains {word}."))).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(Arc::new(source))
    })
}

const GOOD: &str = r#"
[[source]]
kind = "words"
name = "near"
words = ["tidy", "deploy"]

[[source]]
kind = "words"
name = "far"
words = ["tidy", "review"]
trust = "restricted"
dialect = "opencode"

[[source]]
kind = "words"
name = "guest"
tier = "plugin"
namespaced = true
words = ["review"]

[surface]
mode = "both"

[prefer]
review = "far"

[rules]
disable = ["deploy"]
"#;

fn parse(text: &str) -> Result<Configuration, ConfigurationError> {
    Configuration::parse("repertoire.toml", text, &HostSettings::new("/host"))
}

async fn compose(text: &str) -> Result<SkillRegistry, ConfigurationError> {
    let configuration = parse(text)?;
    let builder = configuration.compose(SkillRegistry::builder())?;
    builder
        .load()
        .await
        .map_err(|error| configuration.locate(&error))
}

#[tokio::test]
async fn a_file_composes_the_registry_it_describes() {
    let registry = compose(GOOD).await.expect("the file is valid");
    let snapshot = registry.snapshot();
    let rows = snapshot.entries().iter().map(|entry| {
        let candidate = &entry.candidate;
        (
            entry.id.to_string(),
            candidate.origin.source.to_string(),
            candidate.origin.tier,
            candidate.trust,
            candidate.status,
        )
    });
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            (
                "tidy".to_owned(),
                "near".to_owned(),
                Tier::User,
                Trust::Trusted,
                Status::Active
            ),
            (
                "deploy".to_owned(),
                "near".to_owned(),
                Tier::User,
                Trust::Trusted,
                Status::Disabled
            ),
            (
                "review".to_owned(),
                "far".to_owned(),
                Tier::User,
                Trust::Restricted,
                Status::Active
            ),
            (
                "guest:review".to_owned(),
                "guest".to_owned(),
                Tier::Plugin,
                Trust::Restricted,
                Status::Active
            ),
        ]
    );
    let tidy = snapshot.get("tidy").expect("it is listed");
    assert_eq!(
        registry.surface_of(tidy.item(), &Model::unknown()).mode,
        SurfaceMode::Both
    );
}

#[test]
fn the_host_sees_the_sources_of_a_file() {
    let configuration = parse(GOOD).expect("the file is valid");
    let rows = configuration.sources().iter().map(|source| {
        let dialect = source.dialect().map(|dialect| dialect.name());
        (
            source.name(),
            source.kind().name(),
            dialect,
            source.config().base.to_str(),
        )
    });
    let base = Some("/host");
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            ("near", "words", None, base),
            ("far", "words", Some("opencode"), base),
            ("guest", "words", None, base)
        ]
    );
}

#[tokio::test]
async fn an_error_points_to_its_place() {
    for (text, expected) in [
        (
            "[[source]]\nkind = \"words\"\nname = \"a\"\nwords = [\"b\", \"../c\"]\n",
            str![[r#"
repertoire.toml:4:15: name `../c` holds `/`; a name is not a path
words = ["b", "../c"]
              ^^^^^^"#]],
        ),
        (
            "[[source]]\nkind = \"words\"\nname = \"a\"\nwrds = []\n",
            str![[r#"
repertoire.toml:4:1: unknown field `wrds`, expected `words`
wrds = []
^^^^^^^^^"#]],
        ),
        (
            "[prefer]\ntidy = \"b\"\n",
            str![[r#"
repertoire.toml:2:1: unknown source `b` in the preference for `tidy`; known sources: registered
tidy = "b"
^^^^^^^^^^"#]],
        ),
        (
            "\t[surfac]\n",
            str![[r#"
repertoire.toml:1:3: unknown key `surfac`; expected `[[source]]`, `[surface]`, `[prefer]`, `[rules]`, `[search]`, `[registries]`, `[gateway]` or `[install]`
	[surfac]
	 ^^^^^^"#]],
        ),
    ] {
        let error = compose(text).await.expect_err("the file is invalid");
        assert_data_eq!(format!("{error:#}"), expected.raw());
    }
}

#[test]
fn relative_files_resolve_against_the_host_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let below = folder.path().join("conf");
    std::fs::create_dir(&below).expect("a fresh folder");
    std::fs::write(below.join("repertoire.toml"), GOOD).expect("a fresh file");
    let mut settings = HostSettings::new(folder.path());
    settings.home = Some("/home/ada".into());
    let read = Configuration::read("conf/repertoire.toml", &settings).expect("the file is valid");
    assert_eq!(read.sources()[0].config().base, below);
    let error = Configuration::read("none.toml", &settings).expect_err("there is no such file");
    assert_eq!(
        (error.to_string(), error.line()),
        ("cannot read `none.toml`".to_owned(), None)
    );
    let source = ConfiguredSource::from_argument("words:a:words = [\"~/b\"]", &settings)
        .expect("it is valid");
    assert_eq!(
        source
            .config()
            .options::<Words>()
            .expect("they are words")
            .words,
        ["/home/ada/b"]
    );
}

#[test]
fn an_argument_names_one_source() {
    let settings = HostSettings::new("/host");
    for (argument, message, help) in [
        ("words", "`--source words` does not name a source", true),
        (
            "words:a:words = 'b",
            "--source:1:54: unclosed inline table, expected `}`",
            true,
        ),
        ("words:a:}, {", "--source:1:1: expected one source", true),
        (
            "werds:a",
            "--source:1:13: unknown source kind `werds`; known: words",
            false,
        ),
    ] {
        let error =
            ConfiguredSource::from_argument(argument, &settings).expect_err("it is invalid");
        assert_eq!(
            (error.to_string().as_str(), error.help().is_some()),
            (message, help),
            "{argument}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_line_behind_a_link_is_not_quoted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let project = folder.path().join("project");
    std::fs::create_dir(&project).expect("a fresh folder");
    std::fs::write(folder.path().join("secret"), "\nsource = 1\n").expect("a fresh file");
    std::os::unix::fs::symlink("../secret", project.join("repertoire.toml")).expect("a fresh link");
    let error = Configuration::read("repertoire.toml", &HostSettings::new(project))
        .expect_err("it is invalid");
    assert_eq!((error.line(), error.excerpt()), (Some(2), None));
    assert_eq!(
        format!("{error:#}"),
        "repertoire.toml:2:10: expected tables `[[source]]`, found integer"
    );
}

#[tokio::test]
async fn a_host_adds_kinds_of_its_own() {
    let team = MemorySource::new("team");
    team.register(Skill::new(Id::new("plan").expect("an id"), "Makes plans."))
        .expect("it is new");
    let kind = SourceKind::from_fn("own", "the skills of the team", move |_| {
        Ok(Arc::new(team.clone()))
    });
    let mut settings = HostSettings::new("/host");
    settings.kinds = Some(
        SourceKinds::linked()
            .expect("no kind is linked twice")
            .with(kind)
            .expect("it is new"),
    );
    let text = "[[source]]\nkind = \"own\"\nname = \"team\"\n";
    let configuration =
        Configuration::parse("repertoire.toml", text, &settings).expect("the file is valid");
    let registry = configuration
        .compose(SkillRegistry::builder())
        .expect("it composes")
        .load()
        .await;
    assert!(registry.expect("it loads").get("plan").is_some());
    assert!(parse(text).is_err(), "the kind is unknown to other hosts");
}

#[test]
fn the_policy_of_installed_skills_is_read() {
    let digest = format!("sha256:{}", "0a".repeat(32));
    let text = format!("[install]\nsources = [\"oci://ghcr.io/team\"]\ndenied = [\"{digest}\"]\n");
    let settings = HostSettings::new(".");
    let configuration =
        Configuration::parse("repertoire.toml", text, &settings).expect("it is good");
    let install = configuration.install();
    assert_eq!(
        install.sources.as_deref(),
        Some(&["oci://ghcr.io/team".to_owned()][..])
    );
    assert_eq!(install.denied, [digest.parse().expect("a digest")]);
    let wrong = Configuration::parse(
        "repertoire.toml",
        "[install]\ndenied = [\"x\"]\n",
        &settings,
    );
    let error = wrong.expect_err("it is not a digest");
    assert_eq!(
        (error.file(), error.line()),
        (Some("repertoire.toml"), Some(2))
    );
}
