//! Two linked crates that submit a source kind of one name.

use std::sync::Arc;

use repertoire_registry::{MemorySource, SourceKind, inventory};

inventory::submit! {
    SourceKind::new("wiki", "pages of a wiki", |config| Ok(Arc::new(MemorySource::new(config.name.as_str()))))
}

inventory::submit! {
    SourceKind::new("wiki", "another wiki", |config| Ok(Arc::new(MemorySource::new(config.name.as_str()))))
}

#[test]
fn two_kinds_of_one_name_are_an_error() {
    let errors = [
        SourceKind::find("wiki").map(drop),
        SourceKind::all().map(drop),
    ];
    let expected =
        "two source kinds are called `wiki`: another wiki and pages of a wiki; link one of them";
    let errors = errors.map(|result| result.unwrap_err().to_string());
    assert_eq!(errors, [expected; 2]);
}
