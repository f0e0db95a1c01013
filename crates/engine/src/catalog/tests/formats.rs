//! Each format, to the byte.

use super::*;

/// A skill of a plugin, with signs that mean something somewhere.
fn signs() -> Snapshot<Skill> {
    let mine = skill("tidy", "Doesn't \"cut\" <b> & more.").from_location("/me/R&D/SKILL.md");
    let theirs = skill("weather", "Tells the\n weather.");
    let mut plugin = layer(Tier::Plugin, "acme", 1, [theirs]);
    plugin.trust = Trust::Restricted;
    merge(&[layer(Tier::User, "home", 0, [mine]), plugin])
}

#[track_caller]
fn check(format: CatalogFormat, expected: &str) {
    assert_eq!(
        Catalog::new(&signs(), &options().format(format).locations()).text,
        expected
    );
}

#[test]
fn indented() {
    check(
        CatalogFormat::Indented,
        "<available_skills>\n  <skill>\n    <name>tidy</name>\n    \
         <description>Doesn't \"cut\" &lt;b&gt; &amp; more.</description>\n    \
         <location>/me/R&amp;D/SKILL.md</location>\n  </skill>\n  <skill>\n    <name>weather</name>\n    \
         <description>Tells the weather.</description>\n    <source>acme</source>\n  </skill>\n</available_skills>\n",
    );
}

#[test]
fn as_the_reference_library() {
    check(
        CatalogFormat::Reference,
        "<available_skills>\n<skill>\n<name>\ntidy\n</name>\n<description>\n\
         Doesn&#x27;t &quot;cut&quot; &lt;b&gt; &amp; more.\n</description>\n<location>\n/me/R&amp;D/SKILL.md\n</location>\n\
         </skill>\n<skill>\n<name>\nweather\n</name>\n<description>\nTells the weather.\n</description>\n<source>\nacme\n\
         </source>\n</skill>\n</available_skills>\n",
    );
}

#[test]
fn lines() {
    check(
        CatalogFormat::Lines,
        "tidy (location: /me/R&D/SKILL.md): Doesn't \"cut\" &lt;b> & more.\nweather (source: acme): Tells the weather.\n",
    );
}

#[test]
fn json() {
    check(
        CatalogFormat::Json,
        "{\"skills\": [\n{\"name\":\"tidy\",\"description\":\"Doesn't \\\"cut\\\" <b> & more.\",\"location\":\"/me/R&D/SKILL.md\"}\n\
         ,{\"name\":\"weather\",\"description\":\"Tells the weather.\",\"source\":\"acme\"}\n]}\n",
    );
}

#[test]
fn skills_that_are_not_ready_are_marked() {
    let weather = "weather".parse().unwrap();
    for (format, expected) in [
        (
            CatalogFormat::Xml,
            "<source>acme</source><not_ready>yes</not_ready></skill>",
        ),
        (
            CatalogFormat::Bullets,
            "- weather (source: acme) (not ready): Tells the weather.",
        ),
        (
            CatalogFormat::Json,
            "\"source\":\"acme\",\"not_ready\":\"yes\"}",
        ),
    ] {
        let options = options().format(format).marking_not_ready([&weather]);
        let text = Catalog::new(&signs(), &options).text;
        assert_eq!(text.matches(expected).count(), 1, "{text}");
        assert_eq!(
            text.matches("ready").count(),
            expected.matches("ready").count()
        );
    }
}

#[test]
fn json_is_json_with_a_note_too() {
    let options = in_tokens(300)
        .format(CatalogFormat::Json)
        .hint("Ask \"search\".");
    let Catalog { text, report } = Catalog::new(&sixty(), &options);
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let totals = report.totals();
    assert!(totals.left_out > 0);
    assert_eq!(
        value["skills"].as_array().unwrap().len(),
        60 - totals.left_out
    );
    assert_eq!(
        value["note"],
        format!("Skills not listed: {}. Ask \"search\".", totals.left_out)
    );
}

#[test]
fn every_xml_format_reads_as_the_same() {
    let [one, two, three] = [
        CatalogFormat::Xml,
        CatalogFormat::Indented,
        CatalogFormat::Reference,
    ]
    .map(|format| {
        let skills = read(
            &Catalog::new(
                &sixty(),
                &in_tokens(2_000).format(format).overflow(Overflow::Omit),
            )
            .text,
        );
        skills
            .into_iter()
            .map(|(name, about)| {
                (
                    name.trim().to_owned(),
                    about.map(|about| about.trim().to_owned()),
                )
            })
            .take(5)
            .collect::<Vec<_>>()
    });
    assert_eq!((&one, &one), (&two, &three));
}

#[test]
fn presets_match_their_clients() {
    let preset = |name: &str, window| {
        let options = CatalogOptions::of_client(name, window).unwrap();
        (
            options.format,
            options.budget,
            options.paths == options::Locations::Listed,
        )
    };
    for (name, window, expected) in [
        (
            "agentskills",
            None,
            (CatalogFormat::Reference, Budget::Unlimited, true),
        ),
        (
            "claude",
            Some(200_000),
            (
                CatalogFormat::Bullets,
                Budget::Share {
                    window: 200_000,
                    per_mille: 10,
                },
                false,
            ),
        ),
        (
            "codex",
            Some(100_000),
            (
                CatalogFormat::Bullets,
                Budget::Share {
                    window: 100_000,
                    per_mille: 20,
                },
                true,
            ),
        ),
        (
            "codex",
            None,
            (CatalogFormat::Bullets, Budget::Characters(8_000), true),
        ),
        (
            "openclaw",
            Some(9),
            (CatalogFormat::Indented, Budget::Characters(18_000), true),
        ),
    ] {
        assert_eq!(preset(name, window), expected, "{name}");
    }
    assert!(
        CatalogOptions::clients().is_sorted()
            && CatalogOptions::of_client("unknown", None).is_none()
    );
    for client in CatalogOptions::clients() {
        let options = CatalogOptions::of_client(client, Some(100_000)).unwrap();
        assert!(
            !Catalog::new(&sixty(), &options).text.is_empty(),
            "{client}"
        );
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Agent(Id);

impl repertoire_core::Item for Agent {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.0
    }

    fn description(&self) -> Option<&str> {
        Some("Reviews <code>.")
    }
}

impl VisibleItem for Agent {}

#[test]
fn a_catalog_lists_items_of_any_kind() {
    let rows =
        ["ann", "bob"].map(|id| ListingEntry::new(Agent(id.parse().unwrap()), Stamp::of(id)));
    let snapshot = merge(&[Layer::new(
        Origin::new(Tier::User, "home"),
        0,
        Listing::new(Revision(0), rows, []),
    )]);
    let text = |options: &CatalogOptions| Catalog::new(&snapshot, options).text;
    assert_eq!(
        text(
            &options()
                .modes(VisibilityPolicy::default().with("bob".parse().unwrap(), Exposure::Off))
        ),
        "<available_agents>\n<agent><name>ann</name><description>Reviews &lt;code&gt;.</description></agent>\n\
         </available_agents>\n"
    );
    let json: serde_json::Value =
        serde_json::from_str(&text(&options().format(CatalogFormat::Json))).unwrap();
    assert_eq!(json["agents"][1]["name"], "bob");
}
