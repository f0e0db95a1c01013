//! The gateway through its public door.
//!
//! The vectors of the reference for registries, with the tests that hold them:
//!
//! | vector | test |
//! |---|---|
//! | R1 | `life::a_start_publishes_four_registries` |
//! | R2, R3, R11 | `life::a_refresh_reports_what_changed` |
//! | R4 | `life::a_malformed_skill_hides_no_other` |
//! | R5, R6 | `life::definitions_change_at_a_reload` |
//! | R7 | `life::a_reload_lists_folders_again` |
//! | R8, R9 | `life::requests_outside_of_a_life_are_refused` |
//! | R10 | none: there is one kind of event, so no other can be named |
//! | R12 | `life::a_registered_workflow_wins_and_survives` |
//! | 2A.6, a newer configuration | `reloading::waiting_callers_share_the_last_configuration` |
//! | 2A.6, a failed run | `reloading::a_failed_reload_fails_no_later_one` |
//! | 2A.6, one run at a time | `reloading::each_of_1000_reloads_is_in_force` |
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(all(unix, feature = "http"))]
mod agent_faults;
#[cfg(feature = "http")]
mod agent_routes;
#[cfg(all(unix, feature = "http"))]
mod agent_tools;
#[cfg(feature = "http")]
mod api;
#[cfg(feature = "http")]
mod events;
#[cfg(feature = "http")]
mod http_client;
mod life;
#[cfg(feature = "oauth")]
mod oauth;
#[cfg(feature = "http")]
mod openapi;
#[cfg(feature = "http")]
mod page;
mod project;
mod reloading;
mod runs;
#[cfg(feature = "http")]
mod starting;
mod supervision;
#[cfg(feature = "http")]
mod tokens;
mod workflows;
