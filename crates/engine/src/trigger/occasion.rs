//! What triggers are held against.

use crate::Modes;

/// What triggers are held against: what one turn brought. Nothing, unless told otherwise.
///
/// ```
/// use repertoire_engine::Occasion;
///
/// let occasion = Occasion::of("Fix the build, please").tools(&["bash"]).paths(&["src/main.rs"]);
/// # assert_eq!(format!("{occasion:?}").matches("main.rs").count(), 1);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Occasion<'a> {
    pub(super) message: &'a str,
    pub(super) task: Option<&'a str>,
    pub(super) tools: &'a [&'a str],
    pub(super) paths: &'a [&'a str],
    pub(super) command: Option<&'a str>,
    pub(super) modes: Option<&'a Modes>,
}

impl<'a> Occasion<'a> {
    /// A message of the user.
    pub fn of(message: &'a str) -> Occasion<'a> {
        Occasion { message, ..Occasion::default() }
    }

    /// The type of the task at hand.
    #[must_use]
    pub fn task(self, task: &'a str) -> Occasion<'a> {
        Occasion { task: Some(task), ..self }
    }

    /// The names of the tools that were called.
    #[must_use]
    pub fn tools(self, tools: &'a [&'a str]) -> Occasion<'a> {
        Occasion { tools, ..self }
    }

    /// The files that are worked on: relative to the folder of the project, with slashes.
    #[must_use]
    pub fn paths(self, paths: &'a [&'a str]) -> Occasion<'a> {
        Occasion { paths, ..self }
    }

    /// The command that the user gave, as far as the host took it out of the message; a slash before it does not matter.
    #[must_use]
    pub fn command(self, command: &'a str) -> Occasion<'a> {
        Occasion { command: Some(command), ..self }
    }

    /// Leaves out what the operator hides.
    #[must_use]
    pub fn modes(self, modes: &'a Modes) -> Occasion<'a> {
        Occasion { modes: Some(modes), ..self }
    }
}
