//! The same at more points.

#[test]
fn two_hundred_killed_installations_are_never_half() {
    crate::install_kills::kill_at(200);
}
