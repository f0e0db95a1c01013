//! The suite: every promise, stamped as a test.

use std::io::Write;

use crate::Unable;

/// Stamps every [`promise`](crate::promise) as a `#[test]`, twice: in a module `direct`, and in a module `dynamic` that
/// reaches the source through `Arc<dyn Source<Skill>>`.
///
/// The argument is an expression that makes a fresh [`Fixture`](crate::Fixture); each test evaluates it once, inside a
/// tokio runtime of one thread, so it may `.await`. Names are looked up where the macro stands. To run the suite over two
/// fixtures, put each call into a module of its own.
///
/// A promise that needs what the fixture cannot do passes, and says so in the output of the test run:
/// `skipped my_crate::tests::direct::revisions_never_go_down: the fixture cannot put a skill`.
#[macro_export]
macro_rules! conformance {
    ($fixture:expr $(,)?) => {
        mod direct {
            #[allow(unused_imports)]
            use super::*;
            $crate::__each_promise! { $crate::__stamp [$fixture] }
        }

        mod dynamic {
            #[allow(unused_imports)]
            use super::*;
            $crate::__each_promise! { $crate::__stamp [$crate::Dynamic::new($fixture)] }
        }
    };
}

/// The one list of promises: hands it to the macro named first, after that macro's own argument.
#[doc(hidden)]
#[macro_export]
macro_rules! __each_promise {
    ($callback:path [$($argument:tt)*]) => {
        $callback! {
            [$($argument)*]
            the_name_is_stable_and_holds_no_colon
            listing_twice_without_a_change_gives_equal_listings
            ids_in_a_listing_are_unique
            an_empty_source_is_an_empty_listing
            one_malformed_entry_is_a_diagnostic_and_hides_no_other
            a_change_behind_a_row_is_seen_in_the_row
            a_removed_skill_is_gone
            revisions_never_go_down
            the_revision_is_taken_before_reading_so_a_change_during_list_is_seen
            list_since_gives_what_list_gives
            list_since_without_a_change_gives_an_equal_listing
            changed_of_an_old_revision_returns_at_once
            changed_of_the_current_revision_waits_for_a_change
            changed_may_be_dropped_at_any_await_and_loses_nothing
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
macro_rules! __stamp {
    ([$fixture:expr] $($promise:ident)*) => {$(
        #[test]
        fn $promise() {
            let name = concat!(module_path!(), "::", stringify!($promise));
            $crate::check(name, async { $crate::promise::$promise($fixture).await });
        }
    )*};
}

/// Drives one promise to its end, and reports a skipped one.
///
/// # Panics
/// When the promise is broken.
#[doc(hidden)]
pub fn check(name: &str, promise: impl Future<Output = Result<(), Unable>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let verdict = runtime.expect("a test may start a runtime").block_on(promise);
    if let Err(unable) = verdict {
        // Not `eprintln!`: the test harness would capture that, and nobody would read it. A report that cannot be
        // written breaks no promise.
        let _ = writeln!(std::io::stderr(), "skipped {name}: {unable}");
    }
}
