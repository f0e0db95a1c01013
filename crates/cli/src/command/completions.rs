//! `repertoire completions`.

use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;
use serde::Serialize;

use crate::completion;
use crate::environment::Program;
use crate::output::Output;

/// Generate shell completions.
///
/// The script asks this program for candidates while the user types: commands, options, skills, sources and agents.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  repertoire completions bash > ~/.local/share/bash-completion/completions/repertoire"
)]
pub(crate) struct CompletionsCommand {
    /// Shell to generate completions for.
    #[arg(value_enum)]
    shell: Shell,
}

/// A completion script.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CompletionsOutput {
    shell: String,
    script: String,
}

impl CompletionsCommand {
    pub(super) fn run(&self, program: Program, out: &mut Output) {
        let shell = self.shell.to_string();
        let shells = Shells::builtins();
        let completer = shells.completer(&shell);
        let completer = completer.expect("the library has a completer for each of its shells");
        let (name, mut script) = (program.name, Vec::new());
        completer
            .write_registration(completion::VARIABLE, name, name, name, &mut script)
            .expect("writing to memory cannot fail");
        let script = String::from_utf8_lossy(&script).into_owned();
        let generated = CompletionsOutput { shell, script };
        if !out.write_json(&generated) {
            out.bytes(generated.script);
        }
    }
}
