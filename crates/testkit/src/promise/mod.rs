//! The promises of a source, one function each.
//!
//! Each takes a fresh fixture and returns [`Unable`](crate::Unable) when the fixture cannot do what the promise needs.
//! Each panics when the promise is broken. They run inside a tokio runtime with a clock; nothing sleeps: the clock is
//! only the guard against a source that never answers.

mod bodies;
mod changes;
mod listings;
mod patience;
mod resources;

pub use bodies::{
    a_body_agrees_with_its_row, a_body_has_the_digest_of_its_content, a_body_is_what_was_written,
    an_unknown_id_is_not_found, what_is_listed_can_be_read,
};
pub use changes::{
    changed_may_be_dropped_at_any_await_and_loses_nothing, changed_of_an_old_revision_returns_at_once,
    changed_of_the_current_revision_waits_for_a_change, list_since_gives_what_list_gives,
    list_since_without_a_change_gives_an_equal_listing, revisions_never_go_down,
    the_revision_is_taken_before_reading_so_a_change_during_list_is_seen,
};
pub use listings::{
    a_change_behind_a_row_is_seen_in_the_row, a_removed_skill_is_gone, an_empty_source_is_an_empty_listing,
    ids_in_a_listing_are_unique, listing_twice_without_a_change_gives_equal_listings,
    one_malformed_entry_is_a_diagnostic_and_hides_no_other, the_name_is_stable_and_holds_no_colon,
};
pub use resources::{
    a_link_never_leaves_its_skill, a_resource_path_never_leaves_its_skill, an_unknown_resource_is_not_found,
    resources_are_sorted_and_match_their_bytes, resources_are_what_was_written,
};
