mod evaluation;
mod exhaustive;
mod items;
mod languages;
mod relevance;
mod settings;
mod texts;

use proptest::prelude::*;
use repertoire_core::{
    FunctionalTier, Id, InvokeLevel, Listing, ListingEntry, Revision, Skill, Stamp, skill_md,
};
use repertoire_registry::{Layer, Origin, Snapshot, Tier, Trust, merge};

use super::hit::MatchKind;
use super::*;
use repertoire_permission::{Audience, Exposure, VisibilityPolicy};

fn skill(id: &str, about: &str) -> Skill {
    Skill::new(id.parse().unwrap(), about)
}

/// A skill with these lines in its front matter.
fn written(id: &str, lines: &str) -> Skill {
    let text = format!("---\nname: {id}\n{lines}\n---\n");
    skill_md::parse(
        text.as_bytes(),
        skill_md::FileContext::new("SKILL.md").in_directory(id),
    )
    .skill
    .unwrap()
}

fn layer(
    tier: Tier,
    source: &str,
    position: usize,
    skills: impl IntoIterator<Item = Skill>,
) -> Layer<Skill> {
    let rows = skills.into_iter().map(|skill| {
        let stamp = Stamp::of(&format!("{skill:?}"));
        ListingEntry::new(skill, stamp)
    });
    Layer::new(
        Origin::new(tier, source),
        position,
        Listing::new(Revision(0), rows, []),
    )
}

fn index(skills: impl IntoIterator<Item = Skill>) -> SearchIndex {
    SearchIndex::new(&merge(&[layer(Tier::User, "home", 0, skills)]))
}

fn ids(hits: &[SearchHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.entry.id.as_str()).collect()
}

#[track_caller]
fn check(index: &SearchIndex, query: &str, expected: &[&str]) {
    assert_eq!(ids(&index.search(&Query::new(query))), expected, "{query}");
}

#[test]
fn name_matches_rank_above_description_matches() {
    let index = index([
        skill("describes", "PDF, PDF and PDF again: all about PDF files."),
        skill("fill-pdf", "Fills forms."),
        skill("pdf", "Reads."),
        skill("pdf-tools", "Cuts and joins."),
        skill("weather", "Tells the weather."),
    ]);
    check(
        &index,
        "pdf",
        &["pdf", "pdf-tools", "fill-pdf", "describes"],
    );
    check(
        &index,
        "PDF Tools",
        &["pdf-tools", "fill-pdf", "pdf", "describes"],
    );
    check(
        &index,
        "tools for pdf",
        &["pdf-tools", "fill-pdf", "pdf", "describes"],
    );
    let fits: Vec<MatchKind> = index
        .search(&Query::new("pdf"))
        .iter()
        .map(|hit| hit.why.fit)
        .collect();
    assert_eq!(
        fits,
        [
            MatchKind::Exact,
            MatchKind::Beginning,
            MatchKind::Name,
            MatchKind::Words
        ]
    );
}

#[test]
fn signs_case_and_humps_make_no_other_name() {
    let index = index([
        skill("release-notes", "R."),
        skill("GitHub Issues", "G."),
        skill("straße", "S."),
    ]);
    for (query, found) in [
        ("Release_Notes", "release-notes"),
        ("releasenotes", "release-notes"),
        ("hub", "GitHub Issues"),
        ("githubissues", "GitHub Issues"),
        ("STRASSE", "straße"),
    ] {
        check(&index, query, &[found]);
    }
}

#[test]
fn typos_in_names_match_and_are_reported() {
    let index = index([
        skill("release-notes", "Writes them."),
        skill("deployment-checklist", "Lists steps."),
    ]);
    let hits = index.search(&Query::new("relaese ntoes"));
    assert_eq!(
        (ids(&hits), hits[0].why.fit),
        (vec!["release-notes"], MatchKind::Name)
    );
    assert_eq!(
        hits[0].why.to_string(),
        "name: `release` for `relaese`, `notes` for `ntoes`"
    );
    check(&index, "delpoymetn", &["deployment-checklist"]);
    // A word that exists is not corrected to a different one.
    check(&index, "steps", &["deployment-checklist"]);
    check(&index, "zebra", &[]);
}

#[test]
fn the_last_word_may_be_unfinished() {
    let index = index([
        skill("write-spreadsheet", "W."),
        skill("read-spreadsheet", "R."),
    ]);
    let hits = index.search(&Query::new("read spread"));
    assert_eq!(ids(&hits), ["read-spreadsheet", "write-spreadsheet"]);
    assert_eq!(hits[1].why.to_string(), "name: `spreadsheet` for `spread`");
    check(&index, "spread read", &["read-spreadsheet"]);
}

#[test]
fn forms_of_a_word_are_one_word() {
    let index = index([
        skill("a", "Deploys containers."),
        skill("b", "Translates books."),
    ]);
    check(&index, "deploying container", &["a"]);
    check(&index, "translation book", &["b"]);
}

#[test]
fn scripts_without_blanks_are_found_by_their_parts() {
    let index = index([
        skill("kanji", "表を読み、合計を確かめます。"),
        skill("hangul", "한국어 문서를 요약합니다."),
        skill("thai", "แปลเอกสารภาษาไทย"),
        skill("russian", "Переводит ДОКУМЕНТЫ на русский."),
    ]);
    for (query, found) in [
        ("合計", "kanji"),
        ("한국", "hangul"),
        ("ภาษาไทย", "thai"),
        ("документы", "russian"),
    ] {
        check(&index, query, &[found]);
    }
    // Read as one character: compatibility forms are what they stand for.
    check(&index, "한국어", &["hangul"]);
}

#[test]
fn stop_words_match_only_when_alone() {
    let index = index([
        skill("how-to", "Explains."),
        skill("pdf", "Use this when the user has a file for you."),
    ]);
    check(&index, "how to use a pdf", &["pdf"]);
    check(&index, "how to", &["how-to"]);
    check(&index, "when", &[]);
}

#[test]
fn long_queries_are_truncated() {
    let index = index([skill("pdf", "Reads."), skill("mail", "Writes.")]);
    let long: String = (0..50_000)
        .map(|number| format!("word{number} 表{number} "))
        .collect();
    check(&index, &format!("pdf {long} mail"), &["pdf"]);
    check(&index, &"pdf ".repeat(50_000), &["pdf"]);
    check(&index, &"x".repeat(1_000_000), &[]);
}

#[test]
fn each_hit_reports_why_it_matched() {
    let index = index([written(
        "pdf-forms",
        "description: Fills forms in PDF files.\ntriggers: [tax return]\ntags: [office, Paper]\nmetadata: {category: legal}",
    )]);
    let why = |query: &str| index.search(&Query::new(query))[0].why.clone();
    assert_eq!(
        why("legal form filling").to_string(),
        "name: `form`; tag: `legal`; description: `form`, `filling`"
    );
    assert_eq!(why("tax paper").to_string(), "trigger: `tax`; tag: `paper`");
    assert_eq!(why("pdf-forms").to_string(), "its name");
    assert!(why("form dentist").score > 0.0);
    assert_eq!(
        serde_json::to_value(why("form dentist")).unwrap(),
        serde_json::json!({"fit": "words", "confidence": "may-fit", "words": [{"word": "form", "instead": null, "fields": ["name", "description"]}]})
    );
}

#[test]
fn filters_require_every_condition() {
    let layers = [
        layer(
            Tier::User,
            "home",
            0,
            [
                written(
                    "a",
                    "description: PDF.\ntags: [Office, paper]\nrequired_tools: [git]",
                ),
                written(
                    "b",
                    "description: PDF.\nmetadata: {tags: office}\nallowed-tools: Bash(git:*) Read",
                ),
            ],
        ),
        layer(
            Tier::Plugin,
            "acme",
            1,
            [written(
                "c",
                "description: PDF.\ncategory: office\ntools: [git]",
            )],
        ),
    ];
    let index = SearchIndex::new(&merge(&layers));
    let found = |query: Query| ids(&index.search(&query)).join(" ");
    let pdf = || Query::new("pdf");
    for (query, expected) in [
        (pdf(), "a b c"),
        (pdf().tier(Tier::Plugin), "c"),
        (pdf().source("home"), "a b"),
        (pdf().tag("office"), "a b"),
        (pdf().tag("OFFICE").tag("paper"), "a"),
        (pdf().category("Office"), "c"),
        (pdf().tool("git"), "a c"),
        (pdf().tool("bash"), "b"),
        (pdf().tool("bash").tag("paper"), ""),
        (pdf().tag("unheard of"), ""),
        (Query::new("").tool("git"), "a c"),
        (Query::new("  "), "a b c"),
        (Query::new("").limit(2), "a b"),
        (Query::new("").limit(0), ""),
        (Query::new("!?"), ""),
    ] {
        assert_eq!(found(query.clone()), expected, "{query:?}");
    }
}

#[test]
fn colibris_labels_are_filters() {
    let index = index([
        written(
            "any",
            "description: PDF.\ninvoke-level: 1\nfunctional-tier: Audit & Proof",
        ),
        written("default", "description: PDF.\ntier: integration"),
        written(
            "own",
            "description: PDF.\nmetadata: {functional-tier: House Keeping}",
        ),
        written("top", "description: PDF.\ntier: 3"),
    ]);
    let found = |query: Query| ids(&index.search(&query)).join(" ");
    let pdf = || Query::new("pdf");
    for (query, expected) in [
        (
            pdf().functional_tier(&FunctionalTier::new("audit-proof")),
            "any",
        ),
        (
            pdf().functional_tier(&FunctionalTier::new("integration")),
            "default",
        ),
        (
            pdf().functional_tier(&FunctionalTier::new("house keeping")),
            "own",
        ),
        (
            pdf().functional_tier(&FunctionalTier::new("infrastructure")),
            "",
        ),
        (pdf().invoke_level(InvokeLevel::Top), "any default own top"),
        (pdf().invoke_level(InvokeLevel::Executor), "any default own"),
        (pdf().invoke_level(InvokeLevel::Any), "any"),
        (
            Query::new("")
                .invoke_level(InvokeLevel::Any)
                .functional_tier(&FunctionalTier::new("integration")),
            "",
        ),
    ] {
        assert_eq!(found(query.clone()), expected, "{query:?}");
    }
}

#[test]
fn equal_scores_are_sorted_by_tier_then_id() {
    let layers = [
        layer(
            Tier::Plugin,
            "acme",
            0,
            ["a", "b"].map(|id| skill(id, "Same words.")),
        ),
        layer(
            Tier::User,
            "home",
            1,
            ["same-beginning-2", "same-beginning-10", "B"].map(|id| skill(id, "Same words.")),
        ),
    ];
    check(
        &SearchIndex::new(&merge(&layers)),
        "words",
        &["B", "same-beginning-10", "same-beginning-2", "a", "b"],
    );
}

#[test]
fn hidden_skills_are_neither_found_nor_suggested() {
    let mut by_hand = skill("kept-hand", "Releases the product.");
    by_hand.disable_model_invocation = true;
    let mut background = skill("kept-model", "Releases the product.");
    background.user_invocable = false;
    let mut clone = layer(
        Tier::User,
        "clone",
        1,
        [skill("kept-clone", "Releases the product.")],
    );
    clone.trust = Trust::Pending;
    let index = SearchIndex::new(&merge(&[
        layer(Tier::User, "home", 0, [by_hand, background]),
        clone,
    ]));
    let found = |query: Query| ids(&index.search(&query)).join(" ");
    for text in [
        "releases",
        "kept",
        "kept-hand",
        "kept-clone",
        "",
        "kept hnad model clone",
    ] {
        let query = Query::new(text);
        assert_eq!(found(query.clone()), "kept-model", "{text}");
        assert_eq!(found(query.seen_by(Audience::User)), "kept-hand", "{text}");
    }
    assert_eq!(
        found(Query::new("releases").for_operator()),
        "kept-clone kept-hand kept-model"
    );
    let off = VisibilityPolicy::default().with("home:*".parse().unwrap(), Exposure::Off);
    assert_eq!(found(Query::new("releases").modes(off.clone())), "");
    assert_eq!(
        found(Query::new("releases").modes(off).for_operator()),
        "kept-clone kept-hand kept-model"
    );
    for (audience, near) in [
        (Audience::Model, "kept-model"),
        (Audience::User, "kept-hand"),
    ] {
        let suggested = index.near(&Query::new("kept-hnad").seen_by(audience));
        assert_eq!(
            suggested
                .iter()
                .map(|entry| entry.id.as_str())
                .collect::<Vec<_>>(),
            [near]
        );
    }
}

#[test]
fn hidden_skills_do_not_affect_visible_results() {
    let visible = ["release-notes", "deploy"].map(|id| skill(id, "Tells what a relese brings."));
    let mut secret = ["relaese-payroll", "deployments-at-night", "payroll"]
        .map(|id| skill(id, "Tells what relaese means."));
    secret
        .iter_mut()
        .for_each(|skill| skill.disable_model_invocation = true);
    let alone = index(visible.clone());
    let beside = index(visible.into_iter().chain(secret));
    // Its words are not known, not near to a typed one, and not what one begins with.
    for text in [
        "relaese",
        "payrol",
        "pay",
        "deployment",
        "tells",
        "deploymets",
        "",
    ] {
        assert_eq!(shown(&beside, text), shown(&alone, text), "{text}");
        let near = |index: &SearchIndex| -> Vec<String> {
            index
                .near(&Query::new(text))
                .iter()
                .map(|entry| entry.id.to_string())
                .collect()
        };
        assert_eq!(near(&beside), near(&alone), "{text}");
    }
    let user =
        |text: &str| ids(&beside.search(&Query::new(text).seen_by(Audience::User))).join(" ");
    assert_eq!(
        user("relaese"),
        "relaese-payroll deployments-at-night payroll"
    );
}

#[test]
fn at_most_three_similar_names_are_suggested() {
    let names = ["pdf-forms", "pdf-merge", "pdf-split", "pdf-sign", "weather"];
    let index = index(names.map(|id| skill(id, "Mentions weather reports in passing.")));
    let near = |name: &str| -> Vec<String> {
        index
            .near(&Query::new(name))
            .iter()
            .map(|entry| entry.id.to_string())
            .collect()
    };
    assert_eq!(near("pdf-from"), ["pdf-forms", "pdf-merge", "pdf-sign"]);
    assert_eq!(near("wether"), ["weather"]);
    assert_eq!(near("reports"), [""; 0]);
    assert_eq!(near("../../etc/passwd"), [""; 0]);
    assert_eq!(near("__proto__"), [""; 0]);
}

#[test]
fn fused_rankings_retain_the_exact_name_first() {
    let index = index(["pdf", "pdf-a", "pdf-b", "letters"].map(|id| skill(id, "Reads a pdf.")));
    let ranked = ["letters", "pdf-b", "nobody", "letters"].map(|id| id.parse::<Id>().unwrap());
    let query = Query::new("pdf");
    assert_eq!(
        ids(&index.search(&query)),
        ["pdf", "pdf-a", "pdf-b", "letters"]
    );
    // `letters` is fourth and first, `pdf-b` third and second, `pdf-a` second alone.
    assert_eq!(
        ids(&index.search_with(&query, &ranked)),
        ["pdf", "letters", "pdf-b", "pdf-a"]
    );
    assert_eq!(
        ids(&index.search_with(&query.clone().limit(2), &ranked)),
        ["pdf", "letters"]
    );
    assert_eq!(
        ids(&index.search_with(&query, &[])),
        ids(&index.search(&query))
    );
    let hits = index.search_with(&Query::new("unheard"), &ranked);
    assert_eq!(
        (ids(&hits), hits[0].why.fit),
        (vec!["letters", "pdf-b"], MatchKind::Ranked)
    );
    assert_eq!(
        index
            .search_with(&Query::new("unheard").source("elsewhere"), &ranked)
            .len(),
        0
    );
}

#[tokio::test]
async fn a_live_index_follows_its_registry() {
    use repertoire_registry::{
        Authority, MemorySource, Registered, RuleSet, RuleStack, SkillRegistry,
    };
    let home = MemorySource::new("home");
    home.register(Registered::new(skill("pdf", "Reads."), "-"))
        .unwrap();
    let registry = SkillRegistry::builder().user(home).load().await.unwrap();
    let live = LiveIndex::new(registry.clone());
    let before = live.current();
    registry.register(skill("pdf-forms", "Fills.")).unwrap();
    assert_eq!(ids(&live.search(&Query::new("pdf"))), ["pdf", "pdf-forms"]);
    assert_eq!(ids(&before.search(&Query::new("pdf"))), ["pdf"]);
    registry.unregister("pdf-forms");
    assert_eq!(ids(&live.clone().search(&Query::new("pdf"))), ["pdf"]);
    registry.set_rules(&RuleStack::new([
        RuleSet::new("user", Authority::Full).disable("pdf".parse().unwrap())
    ]));
    assert_eq!(live.search(&Query::new("pdf")).len(), 0);
    assert_eq!(
        ids(&live.search(&Query::new("pdf").for_operator())),
        ["pdf"]
    );
    registry.set_rules(&RuleStack::default());
    assert_eq!(ids(&live.search(&Query::new("pdf"))), ["pdf"]);
}

/// Few words, so that they meet; names that fold to one, and some that fold to nothing.
fn skills() -> impl Strategy<Value = Vec<Skill>> {
    let word = prop_oneof![
        "(pdf|form|read|deploy|notes)(s|ing)?",
        "[ab]{1,2}",
        "表|を|Straße",
        "der|die|Formulare?|la|les|form(es|ulaires)"
    ];
    let name = prop_oneof![
        4 => proptest::collection::vec(word.clone(), 1..4).prop_map(|words| words.join("-")),
        1 => "[+=!]{1,2}",
        1 => "[Aa][ _-]?[Bb]",
    ];
    let about = proptest::collection::vec(word, 0..8).prop_map(|words| words.join(" "));
    let skill = (name, about, any::<bool>()).prop_map(|(name, about, by_hand)| {
        let mut skill = Skill::new(name.parse().unwrap(), about);
        skill.disable_model_invocation = by_hand;
        skill
    });
    proptest::collection::vec(skill, 0..24)
}

fn snapshot(mine: &[Skill], theirs: &[Skill]) -> Snapshot<Skill> {
    let mut plugin = layer(Tier::Plugin, "acme", 1, theirs.to_vec());
    plugin.namespaced = theirs.len().is_multiple_of(2);
    merge(&[layer(Tier::User, "home", 0, mine.to_vec()), plugin])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn updated_indexes_equal_new_indexes(
        versions in proptest::collection::vec((skills(), skills()), 1..5),
        queries in proptest::collection::vec("(pdf|form|deply|notes|a|b|表を|re|=|formular|der die|les | ){0,4}", 1..6),
    ) {
        let mut updated = SearchIndex::new(&snapshot(&[], &[]));
        for (mine, theirs) in versions {
            let snapshot = snapshot(&mine, &theirs);
            let (older, fresh) = (updated.clone(), SearchIndex::new(&snapshot));
            let untouched: Vec<_> = queries.iter().map(|text| shown(&older, text)).collect();
            updated = updated.updated(&snapshot);
            for (text, before) in queries.iter().zip(untouched) {
                prop_assert_eq!(shown(&updated, text), shown(&fresh, text));
                prop_assert_eq!(shown(&older, text), before);
            }
        }
    }

    #[test]
    fn searches_equal_those_over_visible_skills_alone(
        versions in proptest::collection::vec((skills(), skills()), 1..4),
        off in proptest::collection::vec("(pdf|form|read|a|b|ab)", 0..3),
        queries in proptest::collection::vec("(pdf|form|deply|reed|notes|a|b|表を|re|=|formular|der die|les | ){0,4}", 1..6),
    ) {
        let modes = off.iter().fold(VisibilityPolicy::default(), |modes, id| modes.with(id.parse().unwrap(), Exposure::Off));
        let query = |text: &str| Query::new(text).limit(50).modes(modes.clone());
        let found = |index: &SearchIndex, text: &str| -> Vec<(Id, Explanation)> {
            index.search(&query(text)).into_iter().map(|hit| (hit.entry.id.clone(), hit.why)).collect()
        };
        let mut updated = SearchIndex::new(&snapshot(&[], &[]));
        for (mine, theirs) in versions {
            let all = snapshot(&mine, &theirs);
            updated = updated.updated(&all);
            let seen = all.entries().iter().filter(|entry| modes.sees(Audience::Model, &entry.candidate));
            let layers = [("home", 0), ("acme", 1)].map(|(source, position)| {
                let seen = seen.clone().filter(|entry| *entry.origin().source == *source);
                let mut layer = layer(all.layer(source).unwrap().origin.tier, source, position, seen.map(|entry| entry.item().clone()));
                layer.namespaced = all.layer(source).unwrap().namespaced;
                layer
            });
            let alone = SearchIndex::new(&merge(&layers));
            for text in &queries {
                let expected = found(&alone, text);
                prop_assert_eq!(&found(&updated, text), &expected, "{}", text);
                // Once more, from what is kept of who sees what.
                prop_assert_eq!(&found(&updated, text), &expected, "{}", text);
            }
        }
    }

    #[test]
    fn any_text_is_searchable_without_panic(skills in skills(), text in any::<String>(), at in any::<prop::sample::Index>()) {
        let index = index(skills.clone());
        let all = index.search(&Query::new(&text).for_operator().limit(3));
        prop_assert!(all.len() <= 3);
        if !skills.is_empty() {
            let id = &skills[at.index(skills.len())].id;
            let hits = index.search(&Query::new(id.as_str()).for_operator());
            if id.as_str().chars().any(char::is_alphanumeric) {
                prop_assert_eq!(hits[0].why.fit, MatchKind::Exact);
            }
        }
    }
}

fn shown(index: &SearchIndex, text: &str) -> Vec<(Id, Explanation)> {
    let hits = index.search(&Query::new(text).limit(50)).into_iter();
    hits.map(|hit| (hit.entry.id.clone(), hit.why)).collect()
}

/// Covers words that people type without accents in each script. The exact spelling ranks first.
#[test]
fn accents_are_optional_and_exact_spelling_ranks_first() {
    for (written, typed) in [
        ("résumé", "resume"),
        ("française", "francaise"),
        ("traducción", "traduccion"),
        ("größen", "grossen"),
        ("łódź", "lodz"),
        ("øre", "ore"),
        ("æther", "aether"),
        ("đường", "duong"),
        ("việt", "viet"),
        ("İstanbul", "istanbul"),
        ("отчёт", "отчет"),
        ("λόγος", "λογοσ"),
        ("مُفَصَّلة", "مفصلة"),
        ("أحمد", "احمد"),
        ("שָׁלוֹם", "שלום"),
    ] {
        for (first, second) in [(written, typed), (typed, written)] {
            let id = |name: &str| name.parse::<Id>().unwrap().to_string();
            let named = index([skill(written, "Does it."), skill(typed, "Does it.")]);
            check(&named, first, &[&id(first), &id(second)]);
            let about = index([skill("one-of-two", written), skill("two-of-two", typed)]);
            let order = if first == written {
                ["one-of-two", "two-of-two"]
            } else {
                ["two-of-two", "one-of-two"]
            };
            check(&about, first, &order);
        }
    }
}
