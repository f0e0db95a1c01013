//! Builds again when the built-in skills change.
fn main() {
    repertoire_source_static_build::rerun_if_skills_change("skills");
}
