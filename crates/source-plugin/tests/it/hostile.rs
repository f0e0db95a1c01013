//! Attacks by a plugin, which end at most the plugin.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use repertoire_core::{
    Code, Digest, Id, Listing, OmissionReason, Revision, Skill, Source, SourceError,
    SourceErrorKind,
};
use repertoire_registry::SkillRegistry;
use repertoire_source_plugin::{
    Inspection, PluginError, PluginOptions, PluginSource, ProcessOptions,
};
use serde_json::json;

use crate::library::{Compiled, Where, options, pinned, runner, soon, source, source_file};

const BOTH: [Where; 2] = [Where::Here, Where::There];

/// `tests/hostile/hostile.c`, with these lines before it.
fn hostile(defines: &str) -> Compiled {
    let text = fs::read_to_string(source_file("tests/hostile/hostile.c")).unwrap();
    Compiled::new(&format!("{defines}\n{text}"))
}

/// The same without such lines, compiled once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<Compiled> = OnceLock::new();
    &LIBRARY.get_or_init(|| hostile("")).path
}

/// The time limit of a call that hangs.
const SHORT: Duration = Duration::from_millis(300);

fn acting(act: &str, door: &str) -> PluginOptions {
    pinned(library()).with_options(options(json!({ "act": act, "door": door })))
}

fn acting_once(act: &str, door: &str, once: &Path) -> PluginOptions {
    pinned(library()).with_options(options(json!({ "act": act, "door": door, "once": once })))
}

fn fine() -> Id {
    "fine".parse().unwrap()
}

fn ids(listing: &Listing<Skill>) -> Vec<&str> {
    listing.iter().map(|row| row.item.id.as_str()).collect()
}

async fn failed(plugin: &PluginSource) -> SourceError {
    soon(plugin.list())
        .await
        .expect_err("the listing should fail")
}

#[tokio::test]
async fn a_plain_library_is_refused_before_loading() {
    for (defines, expected) in [
        (
            "#define WITHOUT_ENTRY",
            "expected an exported function `repertoire_plugin`, found none",
        ),
        (
            "#define WITHOUT_NOTE",
            "expected exported bytes `repertoire_plugin_note`, found none",
        ),
        (
            "#define NOTE_ABI \"2.0\"",
            "it was built for boundary 2.0, and this host has 1.0",
        ),
        (
            "#define NOTE_ABI \"\"",
            "it was built for boundary , and this host has 1.0",
        ),
    ] {
        let library = hostile(&format!(
            "{defines}\n#pragma GCC diagnostic ignored \"-Wunused-function\""
        ));
        match Inspection::read(&library.path) {
            Err(PluginError::Unusable { message, .. }) => {
                assert_eq!(
                    message
                        .split_once(" is not a plugin: ")
                        .map(|(_, reason)| reason),
                    Some(expected),
                    "{defines}"
                );
            }
            other => panic!("{defines}: {other:?}"),
        }
        assert_eq!(
            failed(&source(Where::Here, pinned(&library.path)))
                .await
                .kind(),
            SourceErrorKind::Invalid
        );
    }
}

#[tokio::test]
async fn an_invalid_table_is_refused() {
    for (defines, expected) in [
        (
            "#define TABLE_MAGIC 7",
            "its table begins with 0x0000000000000007, and not with 0x7265706572746f69",
        ),
        (
            "#define TABLE_MAJOR 2",
            "it was built for boundary 2.0, and this host has major version 1",
        ),
        (
            "#define TABLE_SIZE 40",
            "its table is truncated: expected at least 104 bytes, found 40",
        ),
        ("#define TABLE_LIST 0", "its table lacks `list`"),
        ("#define MISALIGNED", "its table is not aligned"),
    ] {
        let library = hostile(&format!(
            "{defines}\n#pragma GCC diagnostic ignored \"-Wunused-function\""
        ));
        for at in BOTH {
            let error = failed(&source(at, pinned(&library.path))).await.to_string();
            assert!(
                error.ends_with(&format!("cannot be used: {expected}")),
                "{at:?}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn a_newer_minor_version_is_understood() {
    let library =
        hostile("#define TABLE_MINOR 9\n#define NOTE_ABI \"1.9\"\n#define TABLE_SIZE sizeof place");
    for at in BOTH {
        let plugin = source(at, pinned(&library.path));
        assert_eq!(ids(&soon(plugin.list()).await.unwrap()), ["fine"], "{at:?}");
    }
}

#[tokio::test]
async fn a_malformed_reply_is_an_error() {
    use SourceErrorKind::{Invalid, Other, TooLarge};
    for at in BOTH {
        for (act, kind, expected) in [
            (
                "malformed",
                Invalid,
                "the plugin's reply cannot be understood: EOF while parsing",
            ),
            (
                "later",
                Invalid,
                "the plugin's reply has schema 2, and 1 is known",
            ),
            (
                "bad-utf8",
                Invalid,
                "the plugin's reply cannot be understood: invalid unicode",
            ),
            (
                "flood",
                TooLarge,
                "the plugin replied with 104857600 bytes, and at most 67108864 are read",
            ),
            (
                "nowhere",
                Invalid,
                "the plugin replied with 5 bytes at a null pointer",
            ),
            ("silent-error", Other, "the plugin failed without a message"),
        ] {
            let plugin = source(at, acting(act, "list"));
            let error = failed(&plugin).await;
            assert_eq!(error.kind(), kind, "{at:?} {act}: {error}");
            assert!(
                error.to_string().starts_with(expected),
                "{at:?} {act}: {error}"
            );
            assert_eq!(
                soon(plugin.body(&fine())).await.unwrap_err().kind(),
                kind,
                "without a listing there is no body"
            );
        }
    }
}

/// A few bytes of a message are hundreds where every value of it is kept.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn small_values_use_little_memory() {
    let most = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    };
    let before = most();
    for (act, count) in [
        ("swarm", 2_097_152),
        ("swarm-map", 898_779),
        ("swarm-text", 2_097_152),
    ] {
        let error = failed(&source(Where::There, acting(act, "list")))
            .await
            .to_string();
        assert_eq!(
            error,
            format!("the plugin lists {count} skills, and at most 100000 are read"),
            "{act}"
        );
    }
    let listing = soon(source(Where::There, acting("swarm-diagnostics", "list")).list())
        .await
        .unwrap();
    let last = listing.diagnostics().last().unwrap();
    assert_eq!(listing.diagnostics().len(), 1001);
    assert_eq!(
        (last.code, last.message.as_str()),
        (
            Code::PLUGIN_DIAGNOSTIC,
            "the plugin has 2096152 more diagnostics"
        )
    );
    let cost = most() - before;
    assert!(cost < 120, "a message of 6 MiB took {cost} MiB");
}

#[tokio::test]
async fn error_messages_are_truncated() {
    for at in BOTH {
        let error = failed(&source(at, acting("enormous-error", "list"))).await;
        assert_eq!(error.kind(), SourceErrorKind::Denied, "{at:?}");
        assert_eq!(error.to_string(), "x".repeat(1000) + "…", "{at:?}");
        let error = failed(&source(at, acting("endless-error", "create"))).await;
        assert_eq!(error.kind(), SourceErrorKind::TooLarge, "{at:?}: {error}");
    }
}

#[tokio::test]
async fn a_missing_source_is_an_error() {
    for at in BOTH {
        let error = failed(&source(at, acting("no-source", "create"))).await;
        assert_eq!(
            error.to_string(),
            "the plugin made no source and no error",
            "{at:?}"
        );
    }
}

#[tokio::test]
async fn entries_are_parsed_like_files() {
    for at in BOTH {
        let listing = soon(source(at, acting("duplicates", "list")).list())
            .await
            .unwrap();
        assert_eq!(ids(&listing), ["twice", "fine"]);
        assert_eq!(listing.diagnostics()[0].code, Code::DUPLICATE_ID);

        let listing = soon(source(at, acting("illegal", "list")).list())
            .await
            .unwrap();
        assert_eq!(
            ids(&listing),
            ["etc", "fine"],
            "what follows the last `/` of a key stands in for a bad name"
        );
        let codes: Vec<_> = listing
            .diagnostics()
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect();
        assert_eq!(
            codes
                .iter()
                .filter(|code| **code == Code::PLUGIN_ENTRY)
                .count(),
            1,
            "{codes:?}"
        );
        assert_eq!(
            codes.iter().filter(|code| **code == Code::NO_NAME).count(),
            2,
            "{codes:?}"
        );

        let listing = soon(source(at, acting("diagnostics", "list")).list())
            .await
            .unwrap();
        let diagnostic = &listing.diagnostics()[0];
        assert_eq!(
            (diagnostic.code, diagnostic.message.as_str()),
            (Code::PLUGIN_DIAGNOSTIC, "`acme-bad`: a\\u{1b}[2Jb")
        );
        assert_eq!(
            diagnostic.place().as_deref(),
            Some("plugin:/etc/passwd:3"),
            "no plugin passes for another place"
        );
        let unread = &listing.diagnostics()[1];
        assert!(
            unread.message.contains("a diagnostic cannot be understood"),
            "{unread:?}"
        );
        assert_eq!(
            unread.place().as_deref(),
            Some("plugin"),
            "a diagnostic without a file names its source"
        );
    }
}

#[tokio::test]
async fn no_resource_leaves_its_skill() {
    for at in BOTH {
        let source = source(at, acting("climb", "resources"));
        assert_eq!(soon(source.resources(&fine())).await.unwrap(), [], "{at:?}");
        let omitted = soon(source.omissions(&fine())).await.unwrap();
        let omitted: Vec<_> = omitted
            .iter()
            .map(|one| (one.path.as_ref(), one.reason))
            .collect();
        assert_eq!(omitted, [("../secret", OmissionReason::OddName)], "{at:?}");
    }
}

#[tokio::test]
async fn buffers_are_freed_once() {
    for at in BOTH {
        let plugin = source(at, acting("threads", "body"));
        for _ in 0..50 {
            assert_eq!(ids(&soon(plugin.list()).await.unwrap()), ["fine"]);
            assert_eq!(
                soon(plugin.body(&fine())).await.unwrap().text.as_ref(),
                "Be fine.\n"
            );
        }
    }
}

/// A plugin that never returns: its caller gets an error, and no other caller waits.
#[test]
fn a_hanging_plugin_blocks_no_caller() {
    for at in BOTH {
        for door in ["create", "list", "body"] {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap();
            let plugin = source(at, acting("hang", door).within(SHORT));
            let error = runtime.block_on(soon(plugin.body(&fine()))).unwrap_err();
            assert_eq!(
                error.kind(),
                SourceErrorKind::Unavailable,
                "{at:?} {door}: {error}"
            );
            let error = error.to_string();
            // A process that never makes its source is ended at the same moment.
            let is_ended =
                at == Where::There && door == "create" && error == "the plugin does not answer";
            assert!(
                is_ended || error == "the plugin has not answered within 0.3 s",
                "{at:?} {door}: {error}"
            );
            if at == Where::Here {
                let error = runtime
                    .block_on(soon(plugin.list()))
                    .unwrap_err()
                    .to_string();
                assert!(
                    error.starts_with("the plugin has not answered for "),
                    "{door}: {error}"
                );
            }
            drop(plugin);
            // Waits for everything that runs on its blocking threads.
            drop(runtime);
        }
    }
}

#[tokio::test]
async fn a_hanging_destroy_blocks_no_caller() {
    for at in BOTH {
        for door in ["cancel", "destroy", "wait"] {
            let plugin = source(at, acting("hang", door));
            let listing = soon(plugin.list()).await.unwrap();
            let mut changed = plugin.changed(listing.revision());
            let pending = std::future::poll_fn(|context| {
                std::task::Poll::Ready(changed.as_mut().poll(context))
            });
            assert!(pending.await.is_pending(), "{at:?} {door}: nothing changed");
            drop(changed);
            drop(plugin);
        }
    }
}

#[tokio::test]
async fn a_late_reply_is_dropped() {
    let plugin = source(Where::Here, acting("late", "list").within(SHORT));
    let error = failed(&plugin).await;
    assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{error}");
    // By now it was asked to end, and it ends.
    let answered = async {
        loop {
            match plugin.list().await {
                Ok(listing) => return listing,
                Err(error) => assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{error}"),
            }
            tokio::task::yield_now().await;
        }
    };
    assert_eq!(ids(&soon(answered).await), ["fine"]);
}

/// A crash that would end the host ends a process that is restarted.
#[tokio::test]
async fn a_process_that_ends_is_restarted() {
    for (act, door, expected) in [
        (
            "exit",
            "list",
            "the plugin's process ended with exit code 7",
        ),
        ("abort", "list", "the plugin's process ended by signal 6"),
        ("abort", "create", "the plugin's process ended by signal 6"),
        (
            "segfault",
            "list",
            "the plugin's process ended by signal 11",
        ),
        (
            "free-twice",
            "list",
            "the plugin's process ended by signal 6; standard error: ",
        ),
        (
            "hog",
            "list",
            "the plugin's process ended by signal 6; standard error: no memory is left",
        ),
        ("loop", "list", "the plugin has not answered within 0.3 s"),
        ("hang", "list", "the plugin has not answered within 0.3 s"),
        ("hang", "create", "the plugin has not answered within 0.3 s"),
        (
            "flood",
            "list",
            "the plugin replied with 104857600 bytes, and at most 67108864 are read",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let once = folder.path().join("once");
        let deadline = if ["loop", "hang"].contains(&act) {
            SHORT
        } else {
            Duration::from_secs(30)
        };
        let plugin_options = acting_once(act, door, &once).within(deadline);
        let mut options = ProcessOptions::new(plugin_options, runner());
        options.memory_mib = 512;
        let plugin = PluginSource::spawn("plugin", options);
        let error = failed(&plugin).await;
        assert!(
            error.to_string().starts_with(expected),
            "{act} in {door}: {error}"
        );
        let again = async {
            // One that was ended from here may still be at it.
            loop {
                match plugin.list().await {
                    Ok(listing) => return listing,
                    Err(error) => {
                        assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{act}: {error}")
                    }
                }
                tokio::task::yield_now().await;
            }
        };
        assert_eq!(ids(&soon(again).await), ["fine"], "{act}");
    }
}

/// A deadline ends one call; this ends what goes on beside all of them.
#[tokio::test]
async fn a_constructor_takes_no_host_with_it() {
    let hello = fs::read_to_string(source_file("../../plugins/hello-c/hello.c")).unwrap();
    for (act, expected) in [
        ("abort();", "the plugin's process ended by signal 6"),
        ("_exit(7);", "the plugin's process ended with exit code 7"),
        (
            "for (;;) pause();",
            "the plugin has not answered within 0.3 s",
        ),
    ] {
        let constructor = format!(
            "#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void act(void) {{ {act} }}"
        );
        let library = Compiled::new(&format!("{constructor}\n{hello}"));
        let options = if expected.contains("0.3 s") {
            pinned(&library.path).within(SHORT)
        } else {
            pinned(&library.path)
        };
        let error = failed(&source(Where::There, options)).await;
        assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{act}");
        assert!(error.to_string().starts_with(expected), "{act}: {error}");
        assert_eq!(
            ids(&soon(source(Where::There, acting("", "")).list())
                .await
                .unwrap()),
            ["fine"]
        );
    }
}

#[tokio::test]
async fn processor_time_of_a_process_is_limited() {
    let mut options = ProcessOptions::new(acting("burn", "list"), runner());
    options.cpu_s = 1;
    let plugin = PluginSource::spawn("plugin", options);
    assert_eq!(ids(&soon(plugin.list()).await.unwrap()), ["fine"]);
    let error = soon(async {
        loop {
            match plugin.list().await {
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => return error,
            }
        }
    });
    let error = error.await;
    assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{error}");
    assert_eq!(
        error.to_string(),
        "the plugin's process ended, since its processor time was used up"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_registry_retains_the_last_listing() {
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("once");
    fs::write(&once, "").unwrap();
    let plugin = source(Where::There, acting_once("segfault", "list", &once));
    let registry = SkillRegistry::builder()
        .plugin(plugin)
        .load()
        .await
        .unwrap();
    assert_eq!(registry.snapshot().entries().len(), 1);
    fs::remove_file(&once).unwrap();
    soon(registry.refresh()).await.unwrap();
    let snapshot = registry.snapshot();
    assert_eq!(
        snapshot.entries()[0].id.as_str(),
        "fine",
        "the last listing stays"
    );
    assert_eq!(
        snapshot.diagnostics()[0].diagnostic.code,
        Code::SOURCE_FAILED
    );
    let message = &snapshot.diagnostics()[0].diagnostic.message;
    assert!(
        message.contains("the plugin's process ended by signal 11; its last listing stays"),
        "{message}"
    );
    soon(registry.refresh()).await.unwrap();
    assert!(registry.snapshot().diagnostics().is_empty());
}

/// One source hangs; the others are refreshed, and closing does not wait for it.
#[test]
fn a_registry_survives_a_hanging_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("once");
    fs::write(&once, "").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let plugin = PluginSource::new("hangs", acting_once("hang", "list", &once).within(SHORT));
        let registry = SkillRegistry::builder()
            .plugin(plugin)
            .start(&tokio::runtime::Handle::current())
            .await
            .unwrap();
        fs::remove_file(&once).unwrap();
        registry
            .register(Skill::new("fresh".parse().unwrap(), "New."))
            .unwrap();
        soon(registry.refresh()).await.unwrap();
        let snapshot = registry.snapshot();
        let listed: Vec<_> = snapshot
            .entries()
            .iter()
            .map(|entry| entry.id.as_str())
            .collect();
        assert_eq!(listed, ["fresh", "fine"], "the last listing stays");
        let message = &snapshot.diagnostics()[0].diagnostic.message;
        assert!(
            message.contains("the plugin has not answered within 0.3 s"),
            "{message}"
        );
        soon(registry.close()).await;
    });
    // Waits for everything that runs on its blocking threads.
    drop(runtime);
}

#[tokio::test]
async fn a_process_that_dies_in_wait_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("once");
    let plugin = source(Where::There, acting_once("abort", "wait", &once));
    let listing = soon(plugin.list()).await.unwrap();
    soon(plugin.changed(listing.revision())).await;
    let again = soon(plugin.list()).await.unwrap();
    assert!(again.revision() > listing.revision());
    assert_eq!(ids(&again), ["fine"]);
}

#[tokio::test]
async fn printed_output_is_not_a_message() {
    let listing = soon(source(Where::There, acting("print", "list")).list())
        .await
        .unwrap();
    assert_eq!(ids(&listing), ["fine"]);
}

#[tokio::test]
async fn child_processes_end_with_the_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let plugin = source(Where::There, acting_once("fork", "list", &pid));
    soon(plugin.list()).await.unwrap();
    let child: i32 = fs::read_to_string(&pid).unwrap().parse().unwrap();
    assert!(is_running(child));
    drop(plugin);
    soon(gone(child)).await;
}

/// A host that is killed can end nothing: its end closes the pipe.
#[tokio::test]
async fn descendants_of_a_plugin_end_with_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let opening = json!({ "schema": 1, "source": "s", "abi": [1, 0], "options": { "act": "fork", "door": "list", "once": pid } });
    let digest = Digest::of(&fs::read(library()).unwrap()).to_string();
    let mut command = Command::new(runner());
    command
        .arg("plugin-host")
        .arg(library())
        .args([&digest, "1000000000", "60"])
        .process_group(0);
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (
        process.stdin.take().unwrap(),
        process.stdout.take().unwrap(),
    );
    // The doors `create` and `list`: a length, a number and the door, each in four bytes.
    for (door, message) in [(1_u32, opening.to_string()), (2, String::new())] {
        for number in [message.len() as u32, door, door] {
            input.write_all(&number.to_le_bytes()).unwrap();
        }
        input.write_all(message.as_bytes()).unwrap();
        output.read_exact(&mut [0; 12]).unwrap();
        if door == 1 {
            output
                .read_exact(&mut [0; "resources changes telepathy".len()])
                .unwrap();
        }
    }
    let child: i32 = fs::read_to_string(&pid).unwrap().parse().unwrap();
    assert!(is_running(child));
    drop(input);
    soon(gone(child)).await;
    assert_eq!(
        process.wait().unwrap().signal(),
        Some(9),
        "the whole group goes"
    );
}

fn is_running(process: i32) -> bool {
    // A process that ended and is not reaped yet does not run.
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state
        .rsplit_once(") ")
        .is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

async fn gone(process: i32) {
    while is_running(process) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn changed_waits_without_a_listing() {
    let plugin = source(Where::Here, PluginOptions::new("/no/such/plugin.so"));
    assert_eq!(failed(&plugin).await.kind(), SourceErrorKind::Unavailable);
    let mut changed = plugin.changed(Revision(0));
    let pending =
        std::future::poll_fn(|context| std::task::Poll::Ready(changed.as_mut().poll(context)));
    assert!(pending.await.is_pending());
}
