//! Faults that axe-core finds.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::variable;

/// Returns the serious and critical faults of the page, each with the elements that have it.
pub(crate) async fn faults(browser: &Browser) -> Vec<String> {
    let axe = std::fs::read_to_string(variable("AXE")).unwrap();
    browser.run(&axe).await;
    let script = "const done = arguments[arguments.length - 1]; axe.run().then(found => done(found.violations))";
    let found = browser.client.execute_async(script, Vec::new()).await;
    let found = found.unwrap();
    let serious = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|fault| [json!("serious"), json!("critical")].contains(&fault["impact"]));
    serious.map(described).collect()
}

fn described(fault: &Value) -> String {
    let nodes = fault["nodes"].as_array().unwrap().iter();
    let nodes: Vec<_> = nodes.map(|node| node["html"].to_string()).collect();
    format!("{}: {}: {}", fault["id"], fault["help"], nodes.join(" "))
}
