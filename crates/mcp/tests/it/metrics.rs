//! The metrics for operators, parsed as strictly as their two formats are specified.

use std::collections::{BTreeMap, BTreeSet};

use repertoire_mcp::HttpOptions;

use crate::fixture::{home, serve};
use crate::http::listen;

/// One family: what it is, and its samples by name and labels.
#[derive(Debug, Default, PartialEq)]
struct Family {
    help: String,
    kind: String,
    samples: BTreeMap<(String, Vec<(String, String)>), f64>,
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The name, the labels and the value of a line.
fn sample(line: &str) -> (String, Vec<(String, String)>, f64) {
    let (what, value) = line.rsplit_once(' ').expect("a value");
    let (name, labels) = match what.split_once('{') {
        Some((name, labels)) => (
            name,
            labels.strip_suffix('}').expect("an end of the labels"),
        ),
        None => (what, ""),
    };
    assert!(is_name(name), "{line}");
    let labels: Vec<_> = labels
        .split_terminator(',')
        .map(|label| {
            let (key, value) = label.split_once('=').expect("a label");
            let value = value
                .strip_prefix('"')
                .and_then(|value| value.strip_suffix('"'))
                .expect("quotes");
            assert!(is_name(key) && !value.contains(['"', '\\', '\n']), "{line}");
            (key.to_owned(), value.to_owned())
        })
        .collect();
    let keys: BTreeSet<_> = labels.iter().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), labels.len(), "a label twice: {line}");
    (name.to_owned(), labels, value.parse().expect("a number"))
}

/// The families of `text`. In the older form a counter is introduced with the name of its samples.
fn families(text: &str, is_older: bool) -> BTreeMap<String, Family> {
    let text = text.strip_suffix('\n').expect("the last line ends");
    let text = if is_older {
        text
    } else {
        text.strip_suffix("\n# EOF")
            .expect("it says that it is the end")
    };
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut now = String::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').expect("a help");
            now = name.to_owned();
            let family = Family {
                help: help.to_owned(),
                ..Family::default()
            };
            assert!(
                is_name(name) && families.insert(now.clone(), family).is_none(),
                "twice: {line}"
            );
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect("a kind");
            assert_eq!(name, now, "beside its help");
            families.get_mut(name).expect("a help").kind = kind.to_owned();
        } else {
            let (name, labels, value) = sample(line);
            let family = families.get_mut(&now).expect("introduced");
            let endings: &[&str] = match family.kind.as_str() {
                "counter" if is_older => &[""],
                "counter" => &["_total"],
                "gauge" => &[""],
                "histogram" => &["_bucket", "_sum", "_count"],
                other => panic!("{other}: {line}"),
            };
            assert!(
                endings
                    .iter()
                    .any(|ending| name == format!("{now}{ending}")),
                "{line} of {now}"
            );
            assert!(
                family.samples.insert((name, labels), value).is_none(),
                "twice: {line}"
            );
        }
    }
    for (name, family) in families
        .iter()
        .filter(|(_, family)| family.kind == "histogram")
    {
        let value = |ending: &str| family.samples[&(format!("{name}{ending}"), Vec::new())];
        let buckets = family
            .samples
            .iter()
            .filter(|((sample, _), _)| *sample == format!("{name}_bucket"));
        let bound = |labels: &[(String, String)]| labels[0].1.parse::<f64>().expect("a bound");
        let mut buckets: Vec<_> = buckets
            .map(|((_, labels), count)| (bound(labels), *count))
            .collect();
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(buckets.is_sorted_by_key(|(_, count)| *count), "{buckets:?}");
        assert_eq!(buckets.last(), Some(&(f64::INFINITY, value("_count"))));
        assert!(value("_sum") >= 0.0);
    }
    families
}

#[tokio::test]
async fn metrics_hold_numbers_alone() {
    let server = serve(home(&[("tidy", "Secret words.\n")])).await;
    let host = "# HELP jobs Jobs.\n# TYPE jobs counter\njobs_total{kind=\"a\"} 2\n";
    let options = HttpOptions::default().metrics(move || host.to_owned());
    let listening = listen(&server, options).await;
    let client = listening.connect(None).await;
    client.peer.list_all_tools().await.unwrap();
    listening.get("/metrics", "host: evil.example\r\n").await;
    let ask = async |accept: &str| {
        listening
            .get("/metrics", &format!("host: localhost\r\n{accept}"))
            .await
    };

    let (_, head, older) = ask("").await;
    assert!(
        head.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"),
        "{head}"
    );
    assert!(head.contains("x-request-id: "), "{head}");
    let (_, head, newer) =
        ask("accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3\r\n").await;
    assert!(
        head.contains(
            "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"
        ),
        "{head}"
    );

    let (mut older, mut newer) = (families(&older, true), families(&newer, false));
    for jobs in [older.remove("jobs_total"), newer.remove("jobs")] {
        let jobs = jobs.expect("the metrics of the host are shown");
        let kind = vec![("kind".to_owned(), "a".to_owned())];
        let samples = BTreeMap::from([(("jobs_total".to_owned(), kind), 2.0)]);
        assert_eq!((jobs.kind.as_str(), jobs.samples), ("counter", samples));
    }
    let kinds = |families: &BTreeMap<String, Family>| {
        families
            .iter()
            .map(|(name, family)| format!("{name} {}", family.kind))
            .collect::<Vec<_>>()
    };
    let names = [
        "answer_seconds histogram",
        "answering gauge",
        "generation gauge",
        "refused counter",
        "requests counter",
        "sessions gauge",
        "skills gauge",
    ]
    .map(|name| format!("repertoire_mcp_{name}"));
    assert_eq!(kinds(&newer), names);
    assert_eq!(
        kinds(&older),
        names.map(|name| name.replace(" counter", "_total counter"))
    );
    let value = |name: &str, labels: &[(&str, &str)]| {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        older[&format!("repertoire_mcp_{name}")].samples
            [&(format!("repertoire_mcp_{name}"), labels)]
    };
    assert_eq!(value("sessions", &[]), 1.0);
    assert_eq!(value("skills", &[]), 1.0);
    assert_eq!(value("refused_total", &[("reason", "host")]), 1.0);
    assert_eq!(value("requests_total", &[("status", "403")]), 1.0);
    // What is counted apart are statuses and reasons, of which there are few whatever clients do.
    let labels = older
        .values()
        .flat_map(|family| family.samples.keys().flat_map(|(_, labels)| labels));
    let keys: BTreeSet<_> = labels.map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, BTreeSet::from(["le", "reason", "status"]));
    listening.end().await;
}
