//! `cargo xtask ci`: the parts of continuous integration that `cargo xtask test` leaves out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Instant;

use crate::binary::Profile;
use crate::lint::OPTIONAL_FEATURES;
use crate::step::{self, command, skipped, step};
use crate::{Failure, acp, cases, corpus, lint, packages, postgres, test, venv, workspace};

/// The user and group without rights that runs the cases where this program is root.
pub(crate) const UNPRIVILEGED: &str = "65534";

/// Tests with all features that are off by default, which are built once.
///
/// With `xtask`, every dependency is as the other tests compiled it.
pub(crate) static OPTIONAL_TESTS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "cargo nextest run -p xtask -p repertoire-agents -p repertoire-agent-runtime -p repertoire-gateway \
         -p repertoire-cli {OPTIONAL_FEATURES}"
    )
});

/// Runs every part, and reports every failure at the end.
///
/// `shared` holds `cases`, `corpus` and `retrieval`. The default is the directory `shared` beside the checkout.
///
/// # Errors
/// Returns all failures, each with the command that repeats it.
pub(crate) fn run(shared: Option<PathBuf>) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut parts = vec![
        lint::run(),
        test::slow(),
        command(
            "tests of the example for rig",
            &workspace::outside("test", "examples/rig", ""),
        ),
        packages::check(),
        acp::run(),
        command(
            "access tokens of an issuer",
            &format!("{} -E package(repertoire-gateway)", *OPTIONAL_TESTS),
        ),
        command(
            "traces",
            &format!(
                "{} -E package(repertoire-cli)&test(traces)",
                *OPTIONAL_TESTS
            ),
        ),
        postgres::run(),
        command("soak", "cargo xtask soak --seconds 10"),
        command("MCP clients", "cargo xtask mcp-clients"),
        command("generated client", "cargo xtask api-client"),
        command("gateway servers", "cargo xtask gateway-servers --seconds 6"),
        command("page in a browser", "cargo xtask browser"),
        command("skills from a registry", "cargo xtask oci"),
        command("the tool `skills`", "cargo xtask skills-tool"),
        memory(),
        advisories(),
    ];
    parts.extend(shared_parts(
        shared.unwrap_or_else(|| workspace::root().with_file_name("shared")),
    ));
    let failures: Vec<String> = parts
        .into_iter()
        .filter_map(|part| part.err().map(|failure| failure.to_string()))
        .collect();
    let seconds = begun.elapsed().as_secs_f32();
    if failures.is_empty() {
        eprintln!("\nci: passed in {seconds:.0} s");
        Ok(())
    } else {
        let count = failures.len();
        Err(format!(
            "{count} parts failed in {seconds:.0} s\n\n{}",
            failures.join("\n\n")
        )
        .into())
    }
}

/// Checks plugins with valgrind, which finds what no assertion sees: leaks and reads beyond a buffer.
fn memory() -> Result<(), Failure> {
    if !step::succeeds("valgrind --version") {
        skipped("plugins under valgrind", "valgrind is not installed");
        return Ok(());
    }
    // `xtask` is selected for its features alone: its tests have other names.
    let runner = r#"target."cfg(all())".runner=["valgrind","-q","--error-exitcode=9"]"#;
    let tests = "lifetime::two lifetime::dropped_plugins hostile::a_hanging hostile::buffers conformance::c::direct::a_body slow::panicking";
    let line = format!(
        "cargo --config {runner} test -p xtask -p repertoire-source-plugin --test it -- --test-threads=1 {tests}"
    );
    command("plugins under valgrind", &line)
}

/// Checks for security advisories. The database is not in the registry of crates.
fn advisories() -> Result<(), Failure> {
    if step::succeeds("cargo deny fetch db") {
        command("advisories", "cargo deny check --disable-fetch advisories")
    } else {
        skipped(
            "advisories",
            "cargo-deny is not installed, or its database cannot be fetched",
        );
        Ok(())
    }
}

fn shared_parts(shared: PathBuf) -> Vec<Result<(), Failure>> {
    if !shared.is_dir() {
        skipped(
            "shared cases and corpus",
            "`--shared DIR` names the directory that holds them",
        );
        return Vec::new();
    }
    let part = |name: &str| {
        (
            shared.join(name),
            format!("cargo xtask {name} {}", shared.join(name).display()),
        )
    };
    let mut parts = Vec::new();
    let (dir, line) = part("corpus");
    parts.push(step("shared corpus", &line, || corpus::run(&dir)));
    let (dir, line) = part("retrieval");
    if dir.is_dir() {
        parts.push(command(
            "hit rates of public questions",
            &format!("{line} --check"),
        ));
    } else {
        skipped(
            "hit rates of public questions",
            "the directory has no `retrieval`",
        );
    }
    let (dir, line) = part("cases");
    // Root ignores permission bits, so a user without rights runs the cases.
    let as_user = format!("setpriv --reuid={UNPRIVILEGED} --regid={UNPRIVILEGED} --clear-groups");
    let root = rustix::process::geteuid().is_root();
    parts.push(if root && step::succeeds(&format!("{as_user} true")) {
        step("shared cases, without rights", &line, || {
            unprivileged_cases(&dir, &as_user)
        })
    } else {
        if root {
            skipped("permissions", "root cannot become a different user here");
        }
        step("shared cases", &line, || cases::run(&dir, None))
    });
    parts
}

/// Runs the cases as another user, on a copy that this user can reach and write.
fn unprivileged_cases(dir: &Path, as_user: &str) -> Result<(), Failure> {
    let stage = tempfile::tempdir()?;
    let program = Profile::Debug.command_line()?;
    // A step before this one may have built the tasks again, and the running file is gone then.
    let tasks = program.with_file_name("xtask");
    for from in [dir, &tasks, &program] {
        venv::call(Command::new("cp").arg("-R").arg(from).arg(stage.path()))?;
    }
    fs::rename(
        stage
            .path()
            .join(dir.file_name().ok_or("the cases have no name")?),
        stage.path().join("cases"),
    )?;
    venv::call(Command::new("chmod").args(["-R", "u+w"]).arg(stage.path()))?;
    venv::call(
        Command::new("chown")
            .args(["-R", &format!("{UNPRIVILEGED}:{UNPRIVILEGED}")])
            .arg(stage.path()),
    )?;
    let mut words = as_user.split(' ');
    let mut command = Command::new(words.next().expect("the line names a program"));
    command
        .args(words)
        .args(["./xtask", "cases", "--binary", "repertoire", "cases"])
        .current_dir(stage.path());
    venv::call(
        command
            .env("HOME", stage.path())
            .env("TMPDIR", stage.path()),
    )
}
