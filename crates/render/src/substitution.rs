//! The text that replaces a directive.

use crate::wrapper::escape_tags;
use crate::{
    CapturedOutput, CompletedRun, Directive, DirectiveAction, DirectiveOutcome, Refusal, RunEnd,
};

/// The text that replaces a directive.
///
/// One line of output replaces it in place. Several lines, or one that opens code or a comment, are fenced. The fence is longer than
/// any in the output, so that the output cannot close it.
pub(crate) struct Substitution<'d> {
    pub(crate) directive: &'d Directive,
    /// The directive as written in the body.
    pub(crate) written: &'d str,
}

impl Substitution<'_> {
    /// Appends the replacement to `text`. `after` is what follows it in the body.
    pub(crate) fn write(&self, outcome: &DirectiveOutcome, after: &str, text: &mut String) {
        match outcome {
            DirectiveOutcome::Ran(run) => self.run(run, after, text),
            DirectiveOutcome::Refused { by } => self.note(&self.refusal(by), text),
            DirectiveOutcome::Failed { reason } => self.note(&format!("not run: {reason}"), text),
        }
    }

    /// Appends the directive itself and a note.
    fn note(&self, note: &str, text: &mut String) {
        text.push_str(self.written);
        let gap = if self.written.contains('\n') {
            "\n"
        } else {
            " "
        };
        text.push_str(&format!("{gap}[{}]", one_line(note)));
    }

    fn refusal(&self, refusal: &Refusal) -> String {
        match refusal {
            // The words of other clients.
            Refusal::Off => match self.directive.action {
                DirectiveAction::Command { .. } => {
                    "shell command execution disabled by policy".to_owned()
                }
                DirectiveAction::Script { .. } => "script execution disabled by policy".to_owned(),
            },
            refusal => format!("not run: {refusal}"),
        }
    }

    fn run(&self, run: &CompletedRun, after: &str, text: &mut String) {
        let has_failed = run.ended != RunEnd::Exit(0);
        let (mut printed, mut notes) = (Vec::new(), Vec::new());
        let streams = [("output", &run.stdout), ("error output", &run.stderr)];
        for (name, stream) in streams.into_iter().take(if has_failed { 2 } else { 1 }) {
            printed
                .extend(Some(stream.text().trim_end_matches('\n')).filter(|text| !text.is_empty()));
            notes.extend(truncation(name, stream));
        }
        notes.extend(has_failed.then(|| self.end(run.ended)));
        let printed = printed.join("\n");
        let printed = escape_tags(&printed);
        let notes = notes
            .iter()
            .map(|note| format!("[{note}]"))
            .collect::<Vec<_>>()
            .join(" ");
        if printed.contains('\n') || opens(&printed) {
            fenced(&printed, &notes, after, text);
        } else {
            text.push_str(&printed);
            text.push_str(if printed.is_empty() || notes.is_empty() {
                ""
            } else {
                " "
            });
            text.push_str(&notes);
        }
    }

    fn end(&self, ended: RunEnd) -> String {
        let what = match self.directive.action {
            DirectiveAction::Command { .. } => "command",
            DirectiveAction::Script { .. } => "script",
        };
        match ended {
            RunEnd::Exit(code) => format!("{what} failed with exit code {code}"),
            RunEnd::Signal(signal) => format!("{what} was killed by signal {signal}"),
            RunEnd::TimedOut(limit) => format!("{what} was stopped after {limit:?}"),
        }
    }
}

fn truncation(name: &str, printed: &CapturedOutput) -> Option<String> {
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

fn opens(text: &str) -> bool {
    ["```", "~~~", "<!--"]
        .iter()
        .any(|opening| text.contains(opening))
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of)
        .map(str::len)
        .max()
        .unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
