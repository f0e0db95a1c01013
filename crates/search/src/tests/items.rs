//! Items of a kind of the host's own.

use repertoire_core::Item;
use repertoire_permission::VisibleItem;

use super::*;

#[derive(Debug, Clone, PartialEq)]
struct Agent {
    id: Id,
    about: &'static str,
    tool: &'static str,
}

impl Item for Agent {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.id
    }
}

impl VisibleItem for Agent {}

impl SearchItem for Agent {
    fn search_texts(&self) -> SearchTexts<'_> {
        SearchTexts::new()
            .description(self.about)
            .trigger("pull request")
            .tool(self.tool)
    }
}

fn agents() -> Snapshot<Agent> {
    let agents = [
        ("reviewer", "Reads changes.", "git"),
        ("writer", "Writes letters.", "pen"),
    ];
    let rows = agents.map(|(id, about, tool)| {
        let id = id.parse().unwrap();
        ListingEntry::new(Agent { id, about, tool }, Stamp::of(about))
    });
    let listing = Listing::new(Revision(0), rows, []);
    merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)])
}

#[track_caller]
fn check(query: &Query, expected: &[&str]) {
    let hits = SearchIndex::new(&agents()).search(query);
    let found: Vec<_> = hits.iter().map(|hit| hit.entry.id.as_str()).collect();
    assert_eq!(found, expected, "{query:?}");
}

#[test]
fn items_are_found_by_names_texts_and_labels() {
    check(&Query::new("reviewers"), &["reviewer"]);
    check(&Query::new("a letter"), &["writer"]);
    check(&Query::new("pull request"), &["reviewer", "writer"]);
    check(&Query::new("pull request").tool("pen"), &["writer"]);
    check(&Query::new("pen"), &[]);
}

#[test]
fn hidden_items_are_found_by_the_operator_alone() {
    let target = "writer".parse().unwrap();
    let modes = VisibilityPolicy::default().with(target, Exposure::ManualOnly);
    let query = Query::new("").modes(modes);
    check(&query, &["reviewer"]);
    check(
        &query.clone().seen_by(Audience::User),
        &["reviewer", "writer"],
    );
    check(&query.for_operator(), &["reviewer", "writer"]);
}

#[test]
fn bodies_of_items_are_searched() {
    let (id, text) = ("writer".parse().unwrap(), SkillText::new().body("quill"));
    let index = SearchIndex::new(&agents()).with_texts([(&id, &text)]);
    let hits = index.search(&Query::new("quill"));
    let found: Vec<_> = hits.iter().map(|hit| &hit.entry.id).collect();
    assert_eq!(found, [&id]);
}
