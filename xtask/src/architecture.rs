//! The arrows between the packages of the workspace, as tests.

use crate::workspace::packages;

const AGENTS: &str = "repertoire-agents";
const AGENT_RUNTIME: &str = "repertoire-agent-runtime";
const CORE: &str = "repertoire-core";
const CONFIG: &str = "repertoire-config";
const REGISTRY: &str = "repertoire-registry";
const GATEWAY: &str = "repertoire-gateway";
const INSTALL: &str = "repertoire-install";
const PROFILES: &str = "repertoire-profiles";
const PERMISSION: &str = "repertoire-permission";
const SEARCH: &str = "repertoire-search";
const RENDER: &str = "repertoire-render";
const PROCESS: &str = "repertoire-process";
const PLUGIN_SDK: &str = "repertoire-plugin-sdk";
const TESTKIT: &str = "repertoire-testkit";
const FACADE: &str = "repertoire";
const MCP: &str = "repertoire-mcp";
const MCP_SERVERS: &str = "repertoire-mcp-servers";
const CLI: &str = "repertoire-cli";
const TESTS: &str = "repertoire-tests";
const XTASK: &str = "xtask";

/// Returns whether `package` may name `other` under `[dependencies]` or `[build-dependencies]`.
///
/// This is the only list of allowed dependencies. Core depends on no package of the workspace.
fn may_depend_on(package: &str, other: &str) -> bool {
    match package {
        AGENTS | CORE | PROCESS => false,
        AGENT_RUNTIME => [AGENTS, CORE, PROCESS].contains(&other),
        INSTALL | REGISTRY | PLUGIN_SDK | PROFILES => other == CORE,
        PERMISSION => [CORE, REGISTRY].contains(&other),
        SEARCH => [CORE, REGISTRY, PERMISSION].contains(&other),
        // The sources are for the schema of their options.
        CONFIG => [
            CORE,
            MCP_SERVERS,
            REGISTRY,
            RENDER,
            "repertoire-source-fs",
            "repertoire-source-mcp",
            "repertoire-source-plugin",
            "repertoire-source-remote",
        ]
        .contains(&other),
        RENDER => [CORE, PROCESS].contains(&other),
        "repertoire-source-mcp" => [CORE, MCP_SERVERS].contains(&other),
        "repertoire-source-remote" => [CORE, INSTALL].contains(&other),
        "repertoire-engine" => [CORE, REGISTRY, PERMISSION, SEARCH, RENDER].contains(&other),
        "repertoire-source-plugin" => [CORE, PLUGIN_SDK, PROCESS].contains(&other),
        FACADE => ![
            AGENTS,
            AGENT_RUNTIME,
            INSTALL,
            TESTKIT,
            MCP,
            MCP_SERVERS,
            GATEWAY,
            CLI,
            TESTS,
            XTASK,
        ]
        .contains(&other),
        MCP_SERVERS => [CORE, PERMISSION, PROCESS, REGISTRY].contains(&other),
        MCP => [FACADE, MCP_SERVERS].contains(&other),
        GATEWAY => [AGENTS, AGENT_RUNTIME, FACADE, MCP, MCP_SERVERS, PROFILES].contains(&other),
        CLI => [
            AGENTS,
            AGENT_RUNTIME,
            FACADE,
            GATEWAY,
            INSTALL,
            MCP,
            MCP_SERVERS,
            PROFILES,
        ]
        .contains(&other),
        TESTKIT => ![TESTS, XTASK].contains(&other),
        TESTS | XTASK => ![TESTS, XTASK].contains(&other),
        source if source.starts_with("repertoire-source-") => {
            other == CORE || other.strip_suffix("-macros") == Some(source)
        }
        // What is left are plugins: they know what a stranger's plugin would know.
        _ => other == PLUGIN_SDK,
    }
}

#[test]
fn dependencies_point_at_core() {
    let mut against = Vec::new();
    for package in packages().expect("cargo metadata works in tests") {
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| dependency.path.is_some())
        {
            let other = &dependency.name;
            let allowed = match dependency.kind.as_deref() {
                Some("dev") => ![TESTS, XTASK].contains(&other.as_str()),
                _ => may_depend_on(&package.name, other),
            };
            if !allowed {
                against.push(format!("{} -> {other}", package.name));
            }
        }
    }
    assert!(against.is_empty(), "arrows against the design: {against:?}");
}

#[test]
fn core_depends_on_no_runtime_or_io() {
    let packages = packages().expect("cargo metadata works in tests");
    let core = packages
        .iter()
        .find(|package| package.name == CORE)
        .expect("core is there");
    let mut normal = core
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind.is_none());
    let banned = [
        "tokio",
        "notify",
        "libloading",
        "cap-std",
        "rustix",
        "tracing",
        "log",
    ];
    let found = normal.find(|dependency| banned.contains(&dependency.name.as_str()));
    assert!(found.is_none(), "core is values alone: {found:?}");
}

#[test]
fn the_rule_allows_only_listed_dependencies() {
    for (package, other) in [
        ("repertoire-source-fs", CORE),
        (
            "repertoire-source-static",
            "repertoire-source-static-macros",
        ),
        ("repertoire-engine", REGISTRY),
        (CONFIG, REGISTRY),
        (FACADE, "repertoire-source-fs"),
        (CLI, AGENTS),
        (CLI, FACADE),
        (CLI, INSTALL),
        (CLI, PROFILES),
        (INSTALL, CORE),
        (PROFILES, CORE),
        ("hello", PLUGIN_SDK),
        (XTASK, TESTKIT),
    ] {
        assert!(may_depend_on(package, other), "{package} -> {other}");
    }
    for (package, other) in [
        (AGENTS, CORE),
        (CORE, REGISTRY),
        (REGISTRY, "repertoire-source-fs"),
        (REGISTRY, "repertoire-engine"),
        (PERMISSION, SEARCH),
        (SEARCH, "repertoire-engine"),
        ("repertoire-source-fs", REGISTRY),
        ("repertoire-source-fs", "repertoire-source-static-macros"),
        (CONFIG, "repertoire-engine"),
        (FACADE, INSTALL),
        (PROFILES, "repertoire-source-fs"),
        (FACADE, CLI),
        (MCP, CORE),
        ("hello", CORE),
        (TESTKIT, XTASK),
    ] {
        assert!(!may_depend_on(package, other), "{package} -> {other}");
    }
}

mod slow {
    use std::collections::BTreeSet;
    use std::process::Command;

    use super::CLI;
    use crate::workspace::root;

    /// The limit of packages that cargo builds for a binary with the command line and one kind of source, without optional commands.
    const MOST_PACKAGES: usize = 120;

    #[test]
    fn a_binary_with_a_kind_builds_few_packages() {
        let arguments = [
            "tree",
            "--offline",
            "-p",
            CLI,
            "--no-default-features",
            "-e",
            "normal,build",
            "--prefix",
            "none",
        ];
        let mut cargo = Command::new("cargo");
        // Features of other packages do not count.
        let output = cargo
            .args(arguments)
            .current_dir(root())
            .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
            .output();
        let output = output.expect("cargo starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
        let built: BTreeSet<_> = text
            .lines()
            .map(|line| line.split(" (").next().unwrap_or(line))
            .collect();
        // The binary itself is one more.
        let count = built.len() + 1;
        assert!(
            count <= MOST_PACKAGES,
            "{count} packages, expected at most {MOST_PACKAGES}: {built:#?}"
        );
    }
}
