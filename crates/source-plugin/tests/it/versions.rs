//! Hosts and plugins of one major version understand each other.

use std::fs;

use repertoire_core::{Id, Source};
use repertoire_plugin_sdk::abi::{
    REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR, RepertoireBuffer, RepertoireTable,
};
use serde_json::json;

use crate::library::{Compiled, Where, options, pinned, source, source_file};

/// `plugins/hello-c`, compiled with the header of some version.
fn compiled(version: &str, text: impl FnOnce(String) -> String) -> Compiled {
    let source = fs::read_to_string(source_file("../../plugins/hello-c/hello.c")).unwrap();
    Compiled::with_header(&text(source), &source_file(&format!("tests/abi/{version}")))
}

async fn lists_and_reads(library: &Compiled) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("greet.md"),
        "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n",
    )
    .unwrap();
    for at in [Where::Here, Where::There] {
        let given = options(json!({ "folder": folder.path(), "later": true }));
        let plugin = source(at, pinned(&library.path).with_options(given));
        let id: Id = "greet".parse().unwrap();
        assert_eq!(plugin.list().await.unwrap().len(), 1, "{at:?}");
        assert_eq!(
            plugin.body(&id).await.unwrap().text.as_ref(),
            "Say hello.\n",
            "{at:?}"
        );
        assert!(plugin.resources(&id).await.unwrap().is_empty(), "{at:?}");
    }
}

#[tokio::test]
async fn a_plugin_of_the_first_version_is_understood() {
    lists_and_reads(&compiled("1.0", |text| text)).await;
}

#[tokio::test]
async fn a_plugin_of_a_later_version_is_understood() {
    let later = |text: String| {
        let note = text.replace(
            "\\\"abi\\\":\\\"1.0\\\"",
            "\\\"abi\\\":\\\"1.1\\\",\\\"later\\\":[1]",
        );
        // It offers more than this host knows, and says more than this host reads.
        let table = note.replace(
            ".free_buffer = free_buffer,",
            ".free_buffer = free_buffer, .search = list, .features = {(const uint8_t *)\"search\", 6},",
        );
        table.replace(
            "{\\\"schema\\\":1,\\\"skills\\\":[",
            "{\\\"schema\\\":1,\\\"later\\\":{},\\\"skills\\\":[",
        )
    };
    let library = compiled("1.1", later);
    lists_and_reads(&library).await;
}

/// The layout that compiled plugins rely on; on this machine's kind, where a pointer has eight bytes.
#[cfg(target_pointer_width = "64")]
#[test]
fn the_layout_of_the_table_is_stable() {
    use std::mem::offset_of;

    assert_eq!(
        (REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR),
        (1, 0),
        "a new version needs a header of its own here"
    );
    let offsets = [
        offset_of!(RepertoireTable, magic),
        offset_of!(RepertoireTable, abi_major),
        offset_of!(RepertoireTable, abi_minor),
        offset_of!(RepertoireTable, size),
        offset_of!(RepertoireTable, features),
        offset_of!(RepertoireTable, create),
        offset_of!(RepertoireTable, list),
        offset_of!(RepertoireTable, body),
        offset_of!(RepertoireTable, resources),
        offset_of!(RepertoireTable, resource),
        offset_of!(RepertoireTable, wait),
        offset_of!(RepertoireTable, cancel),
        offset_of!(RepertoireTable, destroy),
        offset_of!(RepertoireTable, free_buffer),
    ];
    assert_eq!(
        offsets,
        [0, 8, 10, 12, 16, 32, 40, 48, 56, 64, 72, 80, 88, 96]
    );
    assert_eq!(
        (size_of::<RepertoireTable>(), size_of::<RepertoireBuffer>()),
        (104, 16)
    );
}
