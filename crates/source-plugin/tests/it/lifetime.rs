//! When plugins come and go.

use std::fs;
use std::sync::Arc;

use repertoire_core::{Code, Listing, Revision, Skill, Source};
use repertoire_registry::{Mount, SkillRegistry, Trust};
use repertoire_source_plugin::{Inspection, PluginApprovals, PluginOptions, PluginSource};
use serde_json::json;

use crate::library::{Compiled, Where, loaded, options, pinned, soon, source};

fn ids(listing: &Listing<Skill>) -> Vec<&str> {
    listing.iter().map(|row| row.item.id.as_str()).collect()
}

/// A plugin with one skill called `id`, which runs a thread with a thread-local value that has a destructor.
fn single(id: &str) -> Compiled {
    let document = format!("---\\\\nname: {id}\\\\ndescription: One.\\\\n---\\\\nOne.\\\\n");
    Compiled::new(&format!(
        r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "repertoire_plugin.h"
REPERTOIRE_EXPORT const char repertoire_plugin_note[] =
    "{{\"schema\":1,\"name\":\"single\",\"version\":\"1.0.0\",\"abi\":\"1.0\"}}";
static pthread_key_t key;
static void forget(void *value) {{ free(value); }}
static void *run(void *value) {{
    pthread_setspecific(key, malloc(16));
    for (;;) pause();
    return value;
}}
static int32_t create(RepertoireSlice r, void **made, RepertoireBuffer *b) {{
    (void)r; (void)b;
    pthread_t thread;
    pthread_key_create(&key, forget);
    pthread_create(&thread, 0, run, 0);
    *made = malloc(1);
    return 0;
}}
static int32_t say(RepertoireBuffer *b, const char *text) {{
    b->ptr = (uint8_t *)strdup(text);
    b->len = strlen(text);
    return 0;
}}
static int32_t list(void *s, RepertoireSlice r, RepertoireBuffer *b) {{
    (void)s; (void)r;
    return say(b, "{{\"schema\":1,\"skills\":[{{\"key\":\"{id}\",\"stamp\":\"1\",\"document\":\"{document}\"}}]}}");
}}
static int32_t body(void *s, RepertoireSlice r, RepertoireBuffer *b) {{
    (void)s; (void)r;
    return say(b, "{{\"schema\":1,\"stamp\":\"1\",\"document\":\"{document}\"}}");
}}
static void destroy(void *s) {{ free(s); }}
static void give(RepertoireBuffer b) {{ free(b.ptr); }}
REPERTOIRE_EXPORT const RepertoireTable *repertoire_plugin(void) {{
    static const RepertoireTable table = {{ REPERTOIRE_MAGIC, 1, 0, sizeof(RepertoireTable), {{0, 0}},
        create, list, body, 0, 0, 0, 0, destroy, give }};
    return &table;
}}
"#
    ))
}

#[tokio::test]
async fn a_replaced_file_is_loaded_once_approved() {
    for at in [Where::Here, Where::There] {
        let state = tempfile::tempdir().unwrap();
        let approvals = state.path().join("plugins.json");
        let (library, other) = (single("old"), single("new"));
        let approve = || {
            let inspected = Inspection::read(&library.path).unwrap();
            PluginApprovals::read(&approvals)
                .unwrap()
                .approve(&inspected)
                .unwrap();
        };
        approve();
        let plugin = source(
            at,
            PluginOptions::new(&library.path).approved_in(&approvals),
        );
        let old = plugin.list().await.unwrap();
        assert_eq!(ids(&old), ["old"]);

        library.replace(&other.path);
        soon(plugin.changed(old.revision())).await;
        let refused = plugin.list().await.unwrap();
        assert!(refused.revision() > old.revision());
        assert_eq!(ids(&refused), ["old"]);
        let diagnostic = &refused.diagnostics()[0];
        assert_eq!(diagnostic.code, Code::PLUGIN_REPLACED);
        let (was, is) = (
            PluginApprovals::read(&approvals).unwrap(),
            Inspection::read(&library.path).unwrap(),
        );
        let was = was.plugins()[0].digest;
        assert!(
            diagnostic
                .message
                .contains(&format!("expected {was}, found {}", is.digest)),
            "{}",
            diagnostic.message
        );
        assert_eq!(
            plugin
                .body(&"old".parse().unwrap())
                .await
                .unwrap()
                .text
                .as_ref(),
            "One.\n"
        );

        approve();
        soon(plugin.changed(refused.revision())).await;
        let new = plugin.list().await.unwrap();
        assert!(new.revision() > refused.revision());
        assert_eq!(
            (ids(&new), new.diagnostics().is_empty()),
            (vec!["new"], true)
        );
        assert_eq!(
            plugin.list().await.unwrap(),
            new,
            "and nothing changes any more"
        );
    }
}

#[tokio::test]
async fn a_deleted_plugin_stays_listed() {
    let library = single("one");
    let plugin = source(Where::Here, pinned(&library.path));
    assert_eq!(ids(&plugin.list().await.unwrap()), ["one"]);
    fs::remove_file(&library.path).unwrap();
    let listing = plugin.list().await.unwrap();
    assert_eq!(ids(&listing), ["one"]);
    assert_eq!(listing.diagnostics()[0].code, Code::PLUGIN_REPLACED);
}

#[tokio::test]
async fn dropped_plugins_are_harmless() {
    let library = single("one");
    for _ in 0..20 {
        let plugin = loaded(pinned(&library.path)).await.unwrap();
        assert_eq!(ids(&plugin.list().await.unwrap()), ["one"]);
        let pending = plugin.changed(Revision(99));
        drop(pending);
        drop(plugin);
    }
}

#[tokio::test]
async fn a_plugin_is_restricted_by_default() {
    let library = single("one");
    let plugin = PluginSource::new("acme", pinned(&library.path));
    let broken = PluginSource::new("broken", PluginOptions::new("/no/such/plugin.so"));
    let registry = SkillRegistry::builder()
        .plugin(broken)
        .mount(Mount::plugin(Arc::new(plugin)).namespaced())
        .load()
        .await
        .unwrap();
    let snapshot = registry.snapshot();
    let entry = &snapshot.entries()[0];
    assert_eq!(
        (entry.id.as_str(), entry.candidate.trust),
        ("acme:one", Trust::Restricted)
    );
    let codes: Vec<_> = snapshot
        .diagnostics()
        .iter()
        .map(|one| (one.source.to_string(), one.diagnostic.code))
        .collect();
    assert_eq!(
        codes,
        [("broken".to_owned(), Code::SOURCE_FAILED)],
        "and another plugin's failure is its own"
    );
}

#[tokio::test]
async fn two_sources_share_only_the_library() {
    let library = Compiled::hello();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let plugins = folders.each_ref().map(|folder| {
        let given = options(json!({ "folder": folder.path() }));
        PluginSource::new(
            format!("plugin-{}", folder.path().display()),
            pinned(&library.path).with_options(given),
        )
    });
    fs::write(
        folders[1].path().join("b.md"),
        "---\nname: b\ndescription: B.\n---\n",
    )
    .unwrap();
    assert!(ids(&plugins[0].list().await.unwrap()).is_empty());
    assert_eq!(ids(&plugins[1].list().await.unwrap()), ["b"]);
}
