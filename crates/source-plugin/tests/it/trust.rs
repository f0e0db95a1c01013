//! Nothing runs that nobody approved.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use repertoire_core::{Digest, Source, SourceErrorKind};
use repertoire_source_plugin::{Approvals, Inspection, PluginError, PluginOptions, PluginSource};
use tempfile::TempDir;

use crate::library::{Compiled, Where, built, options, pinned, source};

/// A plugin whose constructor leaves a trace: loading is running.
fn tracer(folder: &TempDir) -> Compiled {
    let trace = folder.path().join("ran");
    Compiled::new(&format!(
        r#"
#include <stdio.h>
#include "repertoire_plugin.h"
REPERTOIRE_EXPORT const char repertoire_plugin_note[] =
    "{{\"schema\":1,\"name\":\"tracer\",\"version\":\"2.1.0\",\"abi\":\"1.0\"}}";
__attribute__((constructor)) static void run(void) {{
    FILE *file = fopen("{}", "a");
    fputs("ran\n", file);
    fclose(file);
}}
REPERTOIRE_EXPORT const RepertoireTable *repertoire_plugin(void) {{ return 0; }}
"#,
        trace.display()
    ))
}

async fn refusal(options: PluginOptions) -> (SourceErrorKind, String) {
    let error = PluginSource::load("plugin", options).await.expect_err("the plugin should be refused");
    (error.kind(), error.to_string())
}

#[tokio::test]
async fn loading_is_running_and_happens_only_once_the_content_is_approved() {
    let folder = tempfile::tempdir().unwrap();
    let library = tracer(&folder);
    let (path, ran) = (fs::canonicalize(&library.path).unwrap(), folder.path().join("ran"));
    let digest = Digest::of(&fs::read(&path).unwrap());

    let inspected = Inspection::of(&path).unwrap();
    assert_eq!((inspected.name.as_str(), inspected.version.as_str()), ("tracer", "2.1.0"));
    assert_eq!((inspected.digest, inspected.abi.as_str()), (digest, "1.0"));
    assert!(inspected.symbols.contains(&"repertoire_plugin".to_owned()), "{:?}", inspected.symbols);

    let (kind, message) = refusal(PluginOptions::new(&path)).await;
    assert_eq!(kind, SourceErrorKind::Denied);
    let shown = path.display();
    assert_eq!(
        message,
        format!(
            "plugin `{shown}` is not approved; if you trust it, `repertoire plugin approve {shown}`, or pin `digest = \"{digest}\"`"
        )
    );

    let other = Digest::of(b"another");
    let (kind, message) = refusal(PluginOptions::new(&path).pinned(other)).await;
    assert_eq!(kind, SourceErrorKind::Denied);
    assert_eq!(
        message,
        format!(
            "plugin `{shown}` has changed: expected {other}, found {digest}; if you trust the new one, pin `digest = \"{digest}\"`"
        )
    );
    assert!(!ran.exists(), "nothing of it may run before it is approved");

    let (kind, message) = refusal(pinned(&path)).await;
    assert_eq!(
        (kind, message),
        (SourceErrorKind::Invalid, format!("plugin `{shown}` cannot be used: it has no table"))
    );
    assert_eq!(fs::read_to_string(&ran).unwrap(), "ran\n", "loading runs constructors");
}

#[tokio::test]
async fn an_approval_is_of_a_content_and_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let (library, state) = (Compiled::hello(), folder.path().join("state/plugins.json"));
    let path = fs::canonicalize(&library.path).unwrap();
    let told = options(serde_json::json!({ "folder": folder.path() }));
    let plugin = || PluginOptions::new(&path).approved_in(&state).with_options(told.clone());

    assert_eq!(refusal(plugin()).await.0, SourceErrorKind::Denied);
    let mut approvals = Approvals::read(&state).unwrap();
    let old = Inspection::of(&path).unwrap();
    assert_eq!(approvals.approve(&old).unwrap(), None);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&state), mode(state.parent().unwrap())), (0o600, 0o700), "for its owner alone");
    assert!(PluginSource::load("plugin", plugin()).await.unwrap().list().await.unwrap().is_empty());

    let other = tracer(&folder);
    library.replace(&other.path);
    let (kind, message) = refusal(plugin()).await;
    let found = Inspection::of(&path).unwrap().digest;
    let shown = path.display();
    assert_eq!(kind, SourceErrorKind::Denied);
    assert_eq!(
        message,
        format!(
            "plugin `{shown}` has changed: expected {}, found {found}; if you trust the new one, `repertoire plugin approve {shown}`",
            old.digest
        )
    );

    library.replace(&Compiled::hello().path);
    assert_eq!(approvals.revoke(&path).unwrap().map(|old| old.digest), Some(old.digest));
    assert_eq!(Approvals::read(&state).unwrap().iter().count(), 0);
    assert_eq!(refusal(plugin()).await.0, SourceErrorKind::Denied);
}

#[test]
fn approvals_that_others_could_write_approve_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("plugins.json");
    for (text, mode, expected) in [
        ("{\"schema\": 1, \"plugins\": []}", 0o620, "others than its owner can write to it"),
        ("{\"schema\": 1, \"plugins\": []}", 0o602, "others than its owner can write to it"),
        ("{\"schema\": 2, \"plugins\": []}", 0o600, "expected schema 1, found 2"),
        ("{\"schema\": 1", 0o600, "EOF while parsing"),
    ] {
        fs::write(&state, text).unwrap();
        fs::set_permissions(&state, fs::Permissions::from_mode(mode)).unwrap();
        let error = Approvals::read(&state).unwrap_err();
        assert!(matches!(&error, PluginError::Approvals { reason, .. } if reason.starts_with(expected)), "{error}");
    }
}

#[tokio::test]
async fn what_everybody_can_write_to_is_not_loaded() {
    let library = Compiled::hello();
    let options = pinned(&library.path);
    let permit = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for (place, open, closed) in [(library.path.as_path(), 0o757, 0o755), (library.folder(), 0o707, 0o700)] {
        permit(place, open);
        let (kind, message) = refusal(options.clone()).await;
        permit(place, closed);
        assert_eq!(kind, SourceErrorKind::Denied);
        let open = format!("everybody can write to `{}`", fs::canonicalize(place).unwrap().display());
        assert!(message.contains(&open), "{message}");
    }
    // Also a sticky one: who owns nothing there could still put a library beside it.
    permit(library.folder(), 0o1777);
    assert_eq!(refusal(options).await.0, SourceErrorKind::Denied);
}

/// A library of another machine, or no library at all, is told from its bytes.
#[test]
fn a_file_that_is_no_plugin_of_this_machine_is_told_before_anything_runs() {
    let library = Compiled::hello();
    let whole = fs::read(&library.path).unwrap();
    let other = if cfg!(target_arch = "aarch64") { (0x3e, "x86_64") } else { (0xb7, "aarch64") };
    let mut foreign = whole.clone();
    foreign[18] = other.0;
    let executable = fs::read(crate::library::runner()).unwrap();
    for (bytes, expected) in [
        (b"#!/bin/sh\n".to_vec(), "it is no shared library".to_owned()),
        (Vec::new(), "it is no shared library".to_owned()),
        (whole[..200].to_vec(), "it is no whole shared library".to_owned()),
        (foreign, format!("expected a library for {}, found one for {}", std::env::consts::ARCH, other.1)),
        (executable, "expected an exported function `repertoire_plugin`, found none".to_owned()),
    ] {
        fs::write(&library.path, bytes).unwrap();
        match Inspection::of(&library.path) {
            Err(PluginError::NotAPlugin { reason, .. }) => assert!(reason.starts_with(&expected), "{reason}"),
            other => panic!("expected a refusal ({expected}), found {other:?}"),
        }
    }
}

#[test]
fn a_file_that_is_not_there_is_unreadable() {
    let error = Inspection::of(Path::new("/no/such/plugin.so")).unwrap_err();
    assert!(matches!(error, PluginError::Unreadable { .. }), "{error}");
}

#[tokio::test]
async fn a_plugin_has_the_name_that_its_composer_gives_it() {
    let told = options(serde_json::json!({ "people": ["Ann"] }));
    for at in [Where::Here, Where::There] {
        let plugin = source(at, pinned(&built("hello")).with_options(told.clone()));
        let listing = plugin.list().await.unwrap();
        let row = listing.iter().next().unwrap();
        assert_eq!(plugin.name(), "plugin");
        assert_eq!(row.item.location.as_deref(), Some("plugin:greet-ann"), "where it comes from is told");
        assert_eq!(row.digest, None, "a digest that a plugin tells would be a claim");
    }
}
