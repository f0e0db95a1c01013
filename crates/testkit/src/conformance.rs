//! The conformance tests for sources.
//!
//! Each test is a function that takes a fresh fixture. It panics when the source breaks its contract, and returns
//! [`Unsupported`] when the fixture cannot do what the test needs. A test runs inside a tokio runtime with a clock, and
//! waits for signals of the source under a timeout.

use std::io::Write;

use crate::Unsupported;

mod bodies;
mod changes;
mod listings;
mod resources;
mod timeout;

pub use bodies::{
    a_body_agrees_with_its_row, a_body_has_the_digest_of_its_content, a_body_is_what_was_written,
    an_unknown_id_is_not_found, what_is_listed_can_be_read,
};
pub use changes::{
    a_change_during_list_is_seen, a_listing_is_as_new_as_its_revision,
    changed_of_an_old_revision_returns_at_once, changed_of_the_current_revision_waits_for_a_change,
    dropping_changed_loses_no_change, every_change_is_signalled, list_since_gives_what_list_gives,
    list_since_without_a_change_gives_an_equal_listing, revisions_never_go_down,
};
pub use listings::{
    a_listed_item_is_what_was_put, a_malformed_entry_hides_no_other, a_new_body_changes_its_row,
    a_new_file_changes_its_row, a_removed_skill_is_gone, an_empty_source_is_an_empty_listing,
    ids_in_a_listing_are_unique, listing_twice_without_a_change_gives_equal_listings,
    the_name_is_stable_and_holds_no_colon,
};
pub use resources::{
    a_link_never_leaves_its_skill, a_resource_path_never_leaves_its_skill,
    an_unknown_resource_is_not_found, resources_are_sorted_and_match_their_bytes,
    resources_are_what_was_written,
};

/// Generates a `#[test]` for each line of the contract of a source, twice.
///
/// The tests of the module `direct` call the source directly, those of the module `dynamic` through
/// `Arc<dyn Source<T>>`.
///
/// The argument is an expression that creates a [`Fixture`](crate::Fixture). Each test evaluates it once, inside a tokio
/// runtime with one thread, so it may `.await`. To test two fixtures, call the macro in two modules.
///
/// A test that needs an operation which the fixture does not support passes, and prints a line such as
/// `skipped my_crate::tests::direct::revisions_never_go_down: the fixture cannot put a skill`.
#[macro_export]
macro_rules! conformance {
    ($fixture:expr $(,)?) => {
        mod direct {
            #[allow(unused_imports)]
            use super::*;
            $crate::__for_each_test! { $crate::__generate [$fixture] }
        }

        mod dynamic {
            #[allow(unused_imports)]
            use super::*;
            $crate::__for_each_test! { $crate::__generate [$crate::Dynamic::new($fixture)] }
        }
    };
}

/// Calls the macro `$callback` with its argument and the names of all tests.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_test {
    ($callback:path [$($argument:tt)*]) => {
        $callback! {
            [$($argument)*]
            the_name_is_stable_and_holds_no_colon
            listing_twice_without_a_change_gives_equal_listings
            ids_in_a_listing_are_unique
            an_empty_source_is_an_empty_listing
            a_malformed_entry_hides_no_other
            a_listed_item_is_what_was_put
            a_new_body_changes_its_row
            a_new_file_changes_its_row
            a_removed_skill_is_gone
            revisions_never_go_down
            a_change_during_list_is_seen
            a_listing_is_as_new_as_its_revision
            every_change_is_signalled
            list_since_gives_what_list_gives
            list_since_without_a_change_gives_an_equal_listing
            changed_of_an_old_revision_returns_at_once
            changed_of_the_current_revision_waits_for_a_change
            dropping_changed_loses_no_change
            an_unknown_id_is_not_found
            what_is_listed_can_be_read
            a_body_is_what_was_written
            a_body_agrees_with_its_row
            a_body_has_the_digest_of_its_content
            resources_are_what_was_written
            resources_are_sorted_and_match_their_bytes
            an_unknown_resource_is_not_found
            a_resource_path_never_leaves_its_skill
            a_link_never_leaves_its_skill
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __generate {
    ([$fixture:expr] $($test:ident)*) => {$(
        #[test]
        fn $test() {
            let name = concat!(module_path!(), "::", stringify!($test));
            $crate::conformance::run(name, async { $crate::conformance::$test($fixture).await });
        }
    )*};
}

/// Runs one test, and prints the reason if it was skipped.
///
/// # Panics
/// Panics if the test fails.
#[doc(hidden)]
pub fn run(name: &str, test: impl Future<Output = Result<(), Unsupported>>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let outcome = runtime.expect("a test may start a runtime").block_on(test);
    if let Err(unsupported) = outcome {
        // The test harness captures `eprintln!` and drops it when the test passes.
        let _ = writeln!(std::io::stderr(), "skipped {name}: {unsupported}");
    }
}
