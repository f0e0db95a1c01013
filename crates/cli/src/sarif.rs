//! Diagnostics as a SARIF 2.1.0 log.

use std::path::{Component, Path};

use repertoire::skill::{Code, Severity, Strictness};
use serde_json::{Map, Value, json};

use crate::diagnostics::ReportedDiagnostic;
use crate::environment::Program;

/// Returns the log of a run. Paths below `cwd` are relative, so that the log does not depend on the machine.
pub(crate) fn log(diagnostics: &[ReportedDiagnostic], cwd: &Path, program: Program) -> Value {
    let mut rules = Code::ALL.to_vec();
    for reported in diagnostics {
        if !rules.contains(&reported.diagnostic.code) {
            rules.push(reported.diagnostic.code);
        }
    }
    let results: Vec<_> = diagnostics
        .iter()
        .map(|reported| result(reported, &rules, cwd))
        .collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": program.name,
                "semanticVersion": program.version,
                "rules": rules.iter().copied().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    let (lenient, strict) = (
        code.severity(Strictness::Lenient),
        code.severity(Strictness::Strict),
    );
    let weight = if lenient == strict {
        format!("Severity: {lenient}.")
    } else {
        format!("Severity: {lenient}; with `--strict`, {strict}.")
    };
    json!({
        "id": code.name(),
        "shortDescription": { "text": code.about() },
        "help": { "text": format!("{} {weight}", code.about()) },
        "defaultConfiguration": { "level": level(lenient) },
    })
}

fn result(reported: &ReportedDiagnostic, rules: &[Code], cwd: &Path) -> Value {
    let diagnostic = &reported.diagnostic;
    let text = match &diagnostic.help {
        Some(help) => format!("{}\n\nhelp: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = json!({
        "ruleId": diagnostic.code.name(),
        "ruleIndex": rules.iter().position(|code| *code == diagnostic.code),
        "level": level(diagnostic.severity),
        "message": { "text": text },
        "properties": { "source": reported.source },
    });
    if let Some(path) = &diagnostic.path {
        let mut place = json!({ "artifactLocation": artifact(Path::new(path.as_ref()), cwd) });
        if let Some(line) = diagnostic.line {
            let mut region = Map::from_iter([("startLine".to_owned(), line.into())]);
            region.extend(
                diagnostic
                    .column
                    .map(|column| ("startColumn".to_owned(), column.into())),
            );
            place["region"] = region.into();
        }
        result["locations"] = json!([{ "physicalLocation": place }]);
    }
    if let Some(other) = &diagnostic.other {
        let place = json!({ "artifactLocation": artifact(Path::new(other.as_ref()), cwd) });
        result["relatedLocations"] = json!([{ "physicalLocation": place }]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn artifact(path: &Path, cwd: &Path) -> Value {
    match path.strip_prefix(cwd) {
        Ok(inside) if !inside.components().any(|part| part == Component::ParentDir) => {
            json!({ "uri": uri_path(inside), "uriBaseId": "%SRCROOT%" })
        }
        _ => {
            let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            json!({ "uri": format!("{}{}", if real.is_absolute() { "file://" } else { "" }, uri_path(&real)) })
        }
    }
}

fn uri_path(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
        .bytes()
    {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
