//! The bench runs from start to end. What it measures in a test says nothing, and is not looked at.

use std::process::Command;

#[test]
fn a_quick_bench_prints_every_figure_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["bench", "--quick", "--huge=1000", "--format", "json"])
        .output()
        .expect("the task starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("figures are text");
    let figures: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a figure a line"))
        .collect();
    let names: Vec<&str> = figures
        .iter()
        .filter_map(|figure| figure["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "floor/read/cpu/200",
            "load/cpu/200",
            "load/wall/200",
            "load/right/200",
            "again/cpu/200",
            "again/wall/200",
            "saved/cpu/200",
            "saved/wall/200",
            "load/resident/200",
            "load-cold/wall/200",
            "floor/read/cpu/1000",
            "load/cpu/1000",
            "load/wall/1000",
            "load/right/1000",
            "again/cpu/1000",
            "again/wall/1000",
            "saved/cpu/1000",
            "saved/wall/1000",
            "load/resident/1000",
            "workflows/ts/right/200",
            "workflows/ts/cpu/200",
            "workflows/ts/wall/200",
            "workflows/yaml/right/200",
            "workflows/yaml/cpu/200",
            "workflows/yaml/wall/200",
            "nested/cpu/200",
            "nested/wall/200",
            "look-up/200",
            "list/200",
            "plugin/list/200",
            "plugin/list-again/200",
            "plugin/body/200",
            "process/list/200",
            "process/list-again/200",
            "process/body/200",
            "render/plain/200",
            "render/placeholders/200",
            "render/eightfold/200",
            "arm/cpu/200",
            "reload/p50/200",
            "reload/p99/200",
            "reload/cpu/200",
            "reload/read/200",
            "reload/refresh/200",
            "reload/p50/1000",
            "reload/p99/1000",
            "reload/cpu/1000",
            "reload/read/1000",
            "reload/refresh/1000",
            "search/index/200",
            "search/p50/200",
            "search/p99/200",
            "search/update/200",
            "search/found/200",
            "search/index/1000",
            "search/p50/1000",
            "search/p99/1000",
            "search/update/1000",
            "search/found/1000",
            "search/texts/front-matter/200",
            "search/texts/bodies/200",
            "search/texts/6-words/p50/200",
            "search/texts/6-words/p99/200",
            "search/texts/200-words/p50/200",
            "search/texts/200-words/p99/200",
            "search/texts/description-change/200",
            "search/texts/body-change/200",
            "catalog/whole/200",
            "catalog/short/200",
            "catalog/changed/200",
            "catalog/again/200",
            "tools/200",
            "triggers/compile/200",
            "triggers/update/200",
            "triggers/fired/200",
            "triggers/evaluate/200",
            "triggers/holding/200",
            "status/300",
            "status/3000",
            "agents/fsyncs",
            "agents/allocate/full",
            "agents/allocate/full/one-caller",
            "agents/allocate/normal",
            "install/add/20",
            "install/verify/20",
            "install/list/20",
            "serve/page/200",
            "serve/page/1000",
            "serve/start/200",
            "serve/list/200",
            "serve/get/200",
            "serve/read/200",
            "serve/reload/200",
            "serve/resident/200",
            "serve/listed/200",
        ]
    );
    let right = &figures[3];
    assert_eq!(
        right["holds"], true,
        "every made-up skill is read as it was meant: {right}"
    );
}
