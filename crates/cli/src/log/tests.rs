use repertoire::skill::text::terminal_line;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

use super::*;

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("no writer panics")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Kept {
    type Writer = Kept;

    fn make_writer(&self) -> Kept {
        self.clone()
    }
}

const FORGED: &str = "\u{1b}]0;OWNED\u{7}\n2026 INFO x: \u{202e}FORGED\u{e0041} a=\"b\"\u{2028}";

fn logged(layer: impl Layer<Registry> + Send + Sync, kept: &Kept) -> String {
    let log = Registry::default().with(layer);
    tracing::subscriber::with_default(log, || {
        let span = tracing::info_span!("request", id = %FORGED);
        let _entered = span.enter();
        let error = io::Error::other(FORGED);
        tracing::warn!(id = %FORGED, text = FORGED, debug = ?FORGED, plain = %"skill://a", number = 5,
            error = &error as &dyn Error, "said {FORGED}");
    });
    String::from_utf8(kept.0.lock().expect("no writer panics").clone()).expect("text")
}

#[test]
fn a_logged_text_stays_in_its_field() {
    let kept = Kept::default();
    let layer = tracing_subscriber::fmt::layer()
        .without_time()
        .with_ansi(false);
    let line = logged(layer.with_writer(kept.clone()).fmt_fields(Fields), &kept);
    let shown = r#"\\u{1b}]0;OWNED\\u{7}\n2026 INFO x: \\u{202e}FORGED\\u{e0041} a=\"b\"\\u{2028}"#
        .replace("\\\\", "\\");
    let message = shown.replace("\\\"", "\"");
    let debug = format!("{FORGED:?}")
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    assert_eq!(
        line,
        format!(
            " WARN request{{id=\"{shown}\"}}: repertoire_cli::log::tests: said {message} id=\"{shown}\" \
             text=\"{shown}\" debug=\"{debug}\" plain=skill://a number=5 error=\"{shown}\"\n"
        )
    );
}

#[test]
fn a_logged_json_line_moves_no_cursor() {
    let kept = Kept::default();
    let to = kept.clone();
    let layer = tracing_subscriber::fmt::layer()
        .without_time()
        .with_writer(move || JsonLines(to.clone()))
        .json();
    let line = logged(layer, &kept);
    let rest = line.strip_suffix('\n').expect("a line");
    assert_eq!(terminal_line(rest), rest);
    let event: serde_json::Value = serde_json::from_str(rest).expect("one JSON document");
    assert_eq!(
        (&event["fields"]["id"], &event["span"]["id"]),
        (&FORGED.into(), &FORGED.into())
    );
}
