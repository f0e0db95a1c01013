//! Only approved libraries run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use repertoire_core::{Digest, Source, SourceErrorKind};
use repertoire_source_plugin::{Inspection, PluginApprovals, PluginError, PluginOptions};
use tempfile::TempDir;

use crate::library::{Compiled, Where, built, loaded, options, pinned, source};

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
    let error = loaded(options)
        .await
        .expect_err("the plugin should be refused");
    (error.kind(), error.to_string())
}

#[tokio::test]
async fn only_approved_content_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let library = tracer(&folder);
    let (path, ran) = (
        fs::canonicalize(&library.path).unwrap(),
        folder.path().join("ran"),
    );
    let digest = Digest::of(&fs::read(&path).unwrap());

    let inspected = Inspection::read(&path).unwrap();
    assert_eq!(
        (inspected.name.as_str(), inspected.version.as_str()),
        ("tracer", "2.1.0")
    );
    assert_eq!((inspected.digest, inspected.abi.as_str()), (digest, "1.0"));
    assert!(
        inspected.symbols.contains(&"repertoire_plugin".to_owned()),
        "{:?}",
        inspected.symbols
    );

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
        (
            SourceErrorKind::Invalid,
            format!("plugin `{shown}` cannot be used: it has no table")
        )
    );
    assert_eq!(
        fs::read_to_string(&ran).unwrap(),
        "ran\n",
        "loading runs constructors"
    );
}

#[tokio::test]
async fn an_approval_of_content_can_be_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let (library, state) = (Compiled::hello(), folder.path().join("state/plugins.json"));
    let path = fs::canonicalize(&library.path).unwrap();
    let given = options(serde_json::json!({ "folder": folder.path() }));
    let plugin = || {
        PluginOptions::new(&path)
            .approved_in(&state)
            .with_options(given.clone())
    };

    assert_eq!(refusal(plugin()).await.0, SourceErrorKind::Denied);
    let mut approvals = PluginApprovals::read(&state).unwrap();
    let old = Inspection::read(&path).unwrap();
    assert_eq!(approvals.approve(&old).unwrap(), None);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&state), mode(state.parent().unwrap())),
        (0o600, 0o700),
        "for its owner alone"
    );
    assert!(
        loaded(plugin())
            .await
            .unwrap()
            .list()
            .await
            .unwrap()
            .is_empty()
    );

    let other = tracer(&folder);
    library.replace(&other.path);
    let (kind, message) = refusal(plugin()).await;
    let found = Inspection::read(&path).unwrap().digest;
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
    assert_eq!(
        approvals.revoke(&path).unwrap().map(|old| old.digest),
        Some(old.digest)
    );
    assert_eq!(PluginApprovals::read(&state).unwrap().plugins(), []);
    assert_eq!(refusal(plugin()).await.0, SourceErrorKind::Denied);
}

#[test]
fn approvals_that_others_could_write_approve_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("plugins.json");
    for (text, mode, expected) in [
        (
            "{\"schema\": 1, \"plugins\": []}",
            0o620,
            "others can write to it",
        ),
        (
            "{\"schema\": 1, \"plugins\": []}",
            0o602,
            "others can write to it",
        ),
        (
            "{\"schema\": 2, \"plugins\": []}",
            0o600,
            "expected schema 1, found 2",
        ),
        ("{\"schema\": 1", 0o600, "EOF while parsing"),
    ] {
        fs::write(&state, text).unwrap();
        fs::set_permissions(&state, fs::Permissions::from_mode(mode)).unwrap();
        let error = PluginApprovals::read(&state).unwrap_err();
        let PluginError::Unusable { message, .. } = &error else {
            panic!("{error}")
        };
        assert!(
            message.contains(&format!("cannot be used: {expected}")),
            "{error}"
        );
    }
}

#[test]
fn approvals_count_from_an_own_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (state, text) = (
        folder.path().join("state"),
        "{\"schema\": 1, \"plugins\": []}",
    );
    fs::create_dir(&state).unwrap();
    let file = state.join("plugins.json");
    fs::write(folder.path().join("else.json"), text).unwrap();
    let refused = |file: &Path| {
        PluginApprovals::read(file)
            .map(|read| read.plugins().len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(refused(&file), Ok(0));
    std::os::unix::fs::symlink("../else.json", &file).unwrap();
    assert!(refused(&file).unwrap_err().contains("it is a link"));
    fs::remove_file(&file).unwrap();
    fs::write(&file, text).unwrap();
    assert_eq!(refused(&file), Ok(0));
    for mode in [0o777, 0o770, 0o1777] {
        fs::set_permissions(&state, fs::Permissions::from_mode(mode)).unwrap();
        assert!(
            refused(&file)
                .unwrap_err()
                .contains("others can write to its folder"),
            "{mode:o}"
        );
    }
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(refused(&file).unwrap_err().contains("world-writable"));
}

#[tokio::test]
async fn world_writable_libraries_are_not_loaded() {
    let library = Compiled::hello();
    let options = pinned(&library.path);
    let permit =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for (place, open, closed) in [
        (library.path.as_path(), 0o757, 0o755),
        (library.folder(), 0o707, 0o700),
    ] {
        permit(place, open);
        let (kind, message) = refusal(options.clone()).await;
        permit(place, closed);
        assert_eq!(kind, SourceErrorKind::Denied);
        let open = format!(
            "`{}` is world-writable",
            fs::canonicalize(place).unwrap().display()
        );
        assert!(message.contains(&open), "{message}");
    }
    // Also a sticky one: who owns nothing there could still put a library beside it.
    permit(library.folder(), 0o1777);
    assert_eq!(refusal(options).await.0, SourceErrorKind::Denied);
}

/// A plugin is loaded from memory that no path leads to, with the bytes that were approved.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_plugin_is_loaded_from_sealed_memory() {
    use rustix::fs::SealFlags;

    let (folder, library) = (tempfile::tempdir().unwrap(), Compiled::hello());
    let given = options(serde_json::json!({ "folder": folder.path() }));
    let plugin = loaded(pinned(&library.path).with_options(given.clone()))
        .await
        .unwrap();
    assert!(plugin.list().await.unwrap().is_empty());
    let copies: Vec<_> = fs::read_dir("/proc/self/fd")
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            fs::read_link(path)
                .is_ok_and(|to| to.to_string_lossy().starts_with("/memfd:repertoire-plugin"))
        })
        .collect();
    let [copy] = copies.as_slice() else {
        panic!("one copy: {copies:?}")
    };
    assert_eq!(fs::read(copy).unwrap(), fs::read(&library.path).unwrap());
    let seals = rustix::fs::fcntl_get_seals(fs::File::open(copy).unwrap()).unwrap();
    assert_eq!(
        seals,
        SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE
    );
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    assert!(
        maps.contains("/memfd:repertoire-plugin") && !maps.contains("/repertoire-plugin-"),
        "{maps}"
    );

    // Another library is not taken for this one, whatever the number of its descriptor.
    let other = tracer(&folder);
    assert_eq!(
        refusal(pinned(&other.path)).await.0,
        SourceErrorKind::Invalid
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("ran")).unwrap(),
        "ran\n"
    );
    assert!(
        loaded(pinned(&library.path).with_options(given))
            .await
            .is_ok()
    );
}

/// A library that needs another one, `libdep.so` in a folder of its own.
#[cfg(target_os = "linux")]
fn needing(run_path: &str, dep: &TempDir) -> Compiled {
    let text =
        fs::read_to_string(crate::library::source_file("../../plugins/hello-c/hello.c")).unwrap();
    let text = format!("int dep(void);\nint (*keep)(void) = dep;\n{text}");
    Compiled::linked(
        &text,
        &[
            &format!("-L{}", dep.path().display()),
            "-ldep",
            &format!("-Wl,-rpath,{run_path}"),
        ],
    )
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn libraries_come_from_where_only_owners_write() {
    let dep = tempfile::tempdir().unwrap();
    let library = dep.path().join("libdep.so");
    fs::copy(
        &Compiled::linked("int dep(void) { return 7; }", &["-Wl,-soname,libdep.so"]).path,
        &library,
    )
    .unwrap();
    let real = fs::canonicalize(dep.path()).unwrap().display().to_string();
    let permit =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();

    let sound = needing(&real, &dep);
    let inspected = Inspection::read(&sound.path).unwrap();
    assert_eq!(
        inspected.needed.first().map(String::as_str),
        Some("libdep.so")
    );
    assert_eq!(inspected.run_path, [real.as_str()]);
    let folder = tempfile::tempdir().unwrap();
    let given = options(serde_json::json!({ "folder": folder.path() }));
    assert!(
        loaded(pinned(&sound.path).with_options(given))
            .await
            .is_ok()
    );

    let reason = |path: &Path| match Inspection::read(path) {
        Err(PluginError::Dependency { reason, .. }) => reason,
        other => panic!("it should be refused: {other:?}"),
    };
    for (place, open, closed) in [
        (dep.path(), 0o720, 0o700),
        (dep.path(), 0o1707, 0o700),
        (&library, 0o646, 0o644),
    ] {
        permit(place, open);
        let found = reason(&sound.path);
        permit(place, closed);
        let open = fs::canonicalize(place).unwrap();
        let expected = format!(
            "it looks for libraries in `{real}`: another user can write to `{}`",
            open.display()
        );
        assert_eq!(found, expected);
    }
    let missing = "/tmp/not-there-yet/lib";
    for (run_path, expected) in [
        (".", "expected the name of a library, or an absolute path"),
        ("", "expected the name of a library, or an absolute path"),
        (
            "lib:/usr/lib",
            "expected the name of a library, or an absolute path",
        ),
        (
            "/usr/lib:",
            "expected the name of a library, or an absolute path",
        ),
        (
            "/opt/$LIB",
            "expected the name of a library, or an absolute path",
        ),
        ("$ORIGIN/../lib", "expected a path without `..`"),
        ("/usr/lib/../../tmp", "expected a path without `..`"),
        (missing, "another user can write to `/tmp`"),
    ] {
        let library = needing(run_path, &dep);
        // The linker leaves an empty run path out.
        if !run_path.is_empty()
            || !Inspection::read(&library.path).is_ok_and(|found| found.run_path.is_empty())
        {
            assert!(
                reason(&library.path).ends_with(expected),
                "{run_path}: {}",
                reason(&library.path)
            );
        }
    }
    // The folder of a copy in memory has no other file.
    for run_path in ["$ORIGIN", "${ORIGIN}/lib"] {
        assert_eq!(
            Inspection::read(&needing(run_path, &dep).path)
                .unwrap()
                .run_path,
            [run_path]
        );
    }
    // A path in place of a name.
    for (name, is_refused) in [
        ("./libdep.so", true),
        ("lib/libdep.so", true),
        (&*format!("{real}/libdep.so"), false),
    ] {
        let soname = format!("-Wl,-soname,{name}");
        // The one that is loaded keeps its bytes.
        fs::remove_file(&library).unwrap();
        fs::copy(
            &Compiled::linked("int dep(void) { return 7; }", &[&soname]).path,
            &library,
        )
        .unwrap();
        let found = Inspection::read(&needing("/usr/lib", &dep).path);
        match found {
            Err(PluginError::Dependency { reason, .. }) if is_refused => {
                assert_eq!(
                    reason,
                    format!(
                        "it needs `{name}`: expected the name of a library, or an absolute path"
                    )
                );
            }
            Ok(found) if !is_refused => assert_eq!(found.needed[0], name),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// A library of a different machine, or a file that is not a library, is recognized by its bytes.
#[test]
fn a_foreign_file_is_refused_before_loading() {
    let library = Compiled::hello();
    let whole = fs::read(&library.path).unwrap();
    let other = if cfg!(target_arch = "aarch64") {
        (0x3e, "x86_64")
    } else {
        (0xb7, "aarch64")
    };
    let mut foreign = whole.clone();
    foreign[18] = other.0;
    let executable = fs::read(crate::library::runner()).unwrap();
    for (bytes, expected) in [
        (
            b"#!/bin/sh\n".to_vec(),
            "it is not a shared library".to_owned(),
        ),
        (Vec::new(), "it is not a shared library".to_owned()),
        (
            whole[..200].to_vec(),
            "it is not a whole shared library".to_owned(),
        ),
        (
            foreign,
            format!(
                "expected a library for {}, found one for {}",
                std::env::consts::ARCH,
                other.1
            ),
        ),
        (
            executable,
            "expected an exported function `repertoire_plugin`, found none".to_owned(),
        ),
    ] {
        fs::write(&library.path, bytes).unwrap();
        match Inspection::read(&library.path) {
            Err(PluginError::Unusable { message, .. }) => {
                assert!(
                    message.contains(&format!("is not a plugin: {expected}")),
                    "{message}"
                );
            }
            other => panic!("expected a refusal ({expected}), found {other:?}"),
        }
    }
}

/// Libraries with wrong bytes: each is refused or understood, and no inspection fails otherwise.
#[test]
fn a_corrupt_library_never_panics_the_reader() {
    let library = Compiled::hello();
    let whole = fs::read(&library.path).unwrap();
    let note = whole
        .windows(10)
        .position(|bytes| bytes == b"{\"schema\":")
        .unwrap();
    // The same numbers in each run, as they come from nothing.
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for round in 0..100 {
        let mut bytes = whole.clone();
        for _ in 0..=random(8) {
            // Headers and the note, where a wrong byte means most, and anywhere.
            let at = match random(4) {
                0 => random(0x400),
                1 => note + random(80),
                2 => whole.len() - 1 - random(0x800),
                _ => random(whole.len()),
            };
            bytes[at] = [0, 0xff, 0x7f, random(256) as u8][random(4)];
        }
        if round % 10 == 0 {
            bytes.truncate(random(whole.len()));
        }
        fs::write(&library.path, &bytes).unwrap();
        match Inspection::read(&library.path) {
            Ok(found) => assert_eq!(found.digest, Digest::of(&bytes), "round {round}"),
            Err(PluginError::Unusable { .. } | PluginError::Dependency { .. }) => {}
            Err(other) => panic!("round {round}: {other}"),
        }
    }
}

#[test]
fn special_files_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.so");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let huge = folder.path().join("huge.so");
    fs::File::create(&huge).unwrap().set_len(3 << 30).unwrap();
    for path in [
        pipe.as_path(),
        &huge,
        folder.path(),
        Path::new("/dev/zero"),
        Path::new("/proc/self/mem"),
    ] {
        let error = Inspection::read(path).unwrap_err();
        assert!(
            matches!(
                error,
                PluginError::Unreadable { .. } | PluginError::Writable { .. }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_unreadable() {
    let error = Inspection::read(Path::new("/no/such/plugin.so")).unwrap_err();
    assert!(matches!(error, PluginError::Unreadable { .. }), "{error}");
}

#[tokio::test]
async fn the_host_names_a_plugin() {
    let given = options(serde_json::json!({ "people": ["Ann"] }));
    for at in [Where::Here, Where::There] {
        let plugin = source(at, pinned(&built("hello")).with_options(given.clone()));
        let listing = plugin.list().await.unwrap();
        let row = listing.iter().next().unwrap();
        assert_eq!(plugin.name(), "plugin");
        assert_eq!(
            row.item.location.as_deref(),
            Some("plugin:greet-ann"),
            "the origin is reported"
        );
        assert_eq!(
            row.digest, None,
            "a digest that a plugin tells would be a claim"
        );
    }
}
