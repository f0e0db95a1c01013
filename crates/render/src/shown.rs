//! What a body shows in place of a directive.

use crate::wrapper::escape_tags;
use crate::{Action, Directive, Ended, OnSuccess, Outcome, Printed, Refusal, Run};

/// What a body shows in place of a directive.
///
/// One printed line stands where the directive stood. More of them, or one that begins code or a comment, go into a fence that is longer than any in them, so that
/// nothing they hold is taken for the text around.
pub(crate) struct Shown<'d> {
    pub(crate) directive: &'d Directive,
    /// The directive as it is in the body.
    pub(crate) written: &'d str,
    pub(crate) on_success: OnSuccess,
}

impl Shown<'_> {
    /// Writes it to `text`, with `after` to follow.
    pub(crate) fn write(&self, outcome: &Outcome, after: &str, text: &mut String) {
        match outcome {
            Outcome::Ran(run) => self.run(run, after, text),
            Outcome::Refused { by } => self.note(&self.refusal(by), text),
            Outcome::Failed { reason } => self.note(&format!("not run: {reason}"), text),
        }
    }

    /// The directive as it is, so that the model can tell what was meant, and a note behind it.
    fn note(&self, note: &str, text: &mut String) {
        text.push_str(self.written);
        let gap = if self.written.contains('\n') { "\n" } else { " " };
        text.push_str(&format!("{gap}[{}]", one_line(note)));
    }

    fn refusal(&self, refusal: &Refusal) -> String {
        match refusal {
            // The words that other clients use.
            Refusal::Off => match self.directive.action {
                Action::Command { .. } => "shell command execution disabled by policy".to_owned(),
                Action::Script { .. } => "script execution disabled by policy".to_owned(),
            },
            refusal => format!("not run: {refusal}"),
        }
    }

    fn run(&self, run: &Run, after: &str, text: &mut String) {
        let well = run.ended == Ended::Exit(0);
        let stderr = !well || self.on_success == OnSuccess::StdoutAndStderr;
        let (mut printed, mut notes) = (Vec::new(), Vec::new());
        let streams = [("output", Some(&run.stdout)), ("error output", Some(&run.stderr).filter(|_| stderr))];
        for (name, stream) in streams {
            let Some(stream) = stream else { continue };
            printed.extend(Some(stream.text().trim_end_matches('\n')).filter(|text| !text.is_empty()));
            notes.extend(truncation(name, stream));
        }
        notes.extend((!well).then(|| self.end(run.ended)));
        let printed = printed.join("\n");
        let printed = escape_tags(&printed);
        let notes = notes.iter().map(|note| format!("[{note}]")).collect::<Vec<_>>().join(" ");
        if printed.contains('\n') || opens(&printed) {
            fenced(&printed, &notes, after, text);
        } else {
            text.push_str(&printed);
            text.push_str(if printed.is_empty() || notes.is_empty() { "" } else { " " });
            text.push_str(&notes);
        }
    }

    fn end(&self, ended: Ended) -> String {
        let what = match self.directive.action {
            Action::Command { .. } => "command",
            Action::Script { .. } => "script",
        };
        match ended {
            Ended::Exit(code) => format!("{what} failed with exit code {code}"),
            Ended::Signal(signal) => format!("{what} was killed by signal {signal}"),
            Ended::TimedOut(limit) => format!("{what} was stopped after {limit:?}"),
        }
    }
}

fn truncation(name: &str, printed: &Printed) -> Option<String> {
    let (kept, total) = printed.truncated()?;
    Some(format!("{name} cut: the first {kept} of {total} bytes"))
}

fn fenced(printed: &str, notes: &str, after: &str, text: &mut String) {
    let fence = "`".repeat(longest_run(printed, '`').max(2) + 1);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("{fence}\n{printed}\n{fence}"));
    if !notes.is_empty() {
        text.push('\n');
        text.push_str(notes);
    }
    if !after.is_empty() && !after.starts_with(['\n', '\r']) {
        text.push('\n');
    }
}

/// Whether what follows a line of `text` could be taken for a part of what it opens.
fn opens(text: &str) -> bool {
    ["```", "~~~", "<!--"].iter().any(|opening| text.contains(opening))
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
