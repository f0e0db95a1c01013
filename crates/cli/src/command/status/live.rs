//! `repertoire status --watch`: the screen of `status`, which follows the files of agents.

mod live_screen;
mod live_terminal;
mod pane_text;
mod screen_lines;
mod surveyor;

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crossterm::event::{Event, EventStream};
use futures_util::StreamExt;

use self::live_screen::{LiveScreen, ScreenAction, ScreenEvent};
use self::live_terminal::LiveTerminal;
use self::surveyor::Surveyor;
use super::surveyed_status::SurveyedStatus;
use crate::environment::find_variable;
use crate::failure::Failure;
use crate::options::SourceOptions;
use crate::settings_entry;
use crate::signals::Signal;
use crate::{Environment, Exit};

/// Runs the screen until the user or a signal ends it.
///
/// # Errors
/// The output is not a terminal, or the first survey fails.
pub(super) async fn run(
    sources: &SourceOptions,
    environment: &mut Environment<'_>,
) -> Result<io::Result<Exit>, Failure> {
    if environment.stdin.is_none() || !environment.stdout.is_terminal() {
        let failure = Failure::new("`--watch` needs a terminal for input and output");
        return Err(
            failure.help("leave `--watch` out, or run `repertoire watch` for lines of changes")
        );
    }
    let status = SurveyedStatus::survey(sources, environment).await?;
    let listening = environment.signals.listen();
    listening.map_err(|error| Failure::io("cannot listen for signals", &error))?;
    let surveyor = Surveyor::start(sources, status.seen.read.clone(), environment);
    let screen = LiveScreen::new(Arc::new(status));
    Ok(show(screen, surveyor, environment)
        .await
        .map(|()| Exit::Success))
}

async fn show(
    mut screen: LiveScreen,
    mut surveyor: Surveyor,
    environment: &mut Environment<'_>,
) -> io::Result<()> {
    let editor = editor(environment);
    let Environment {
        stdout, signals, ..
    } = environment;
    let mut terminal = LiveTerminal::enter(stdout)?;
    let mut keys = EventStream::new();
    loop {
        terminal.draw(&mut screen)?;
        let event = tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::Stop => return Ok(()),
                Signal::Reload => {
                    surveyor.refresh();
                    continue;
                }
            },
            event = keys.next() => match event {
                Some(Ok(Event::Key(key))) if !key.is_release() => ScreenEvent::Pressed(key),
                Some(Ok(_)) => continue,
                Some(Err(error)) => return Err(error),
                None => return Ok(()),
            },
            survey = surveyor.next() => ScreenEvent::Surveyed(survey),
        };
        match screen.apply(event) {
            None => {}
            Some(ScreenAction::Quit) => return Ok(()),
            Some(ScreenAction::Refresh) => surveyor.refresh(),
            Some(ScreenAction::Hide(setting)) => {
                screen.apply(ScreenEvent::Written(settings_entry::write(&setting)));
                surveyor.refresh();
            }
            Some(ScreenAction::Open(path)) => {
                // The stream reads keys on a thread, which ends with it.
                drop(keys);
                terminal.leave()?;
                let opened = open(&path, editor.as_deref());
                terminal.enter_again()?;
                keys = EventStream::new();
                screen.apply(ScreenEvent::Opened(opened));
                surveyor.refresh();
            }
        }
    }
}

/// Returns the command line of the user's editor.
fn editor(environment: &Environment<'_>) -> Option<Box<OsStr>> {
    let names = ["VISUAL", "EDITOR"].into_iter();
    let mut found = names.filter_map(|name| find_variable(&environment.variables, name));
    Some(found.find(|value| !value.is_empty())?.into())
}

/// Opens the file in the editor, and returns when that has ended.
fn open(path: &Path, editor: Option<&OsStr>) -> Result<(), Failure> {
    let Some(editor) = editor else {
        let message = format!("no editor is known for `{}`", path.display());
        return Err(Failure::new(message).help("set `VISUAL` or `EDITOR`"));
    };
    let mut command = match cfg!(unix) {
        // The variable may hold arguments, and the shell separates them.
        true => {
            let mut shell = Command::new("sh");
            let mut script = editor.to_owned();
            script.push(" \"$@\"");
            shell.arg("-c").arg(script).arg(editor);
            shell
        }
        false => Command::new(editor),
    };
    let shown = editor.display();
    match command.arg(path).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("`{shown}` ended with {status}"))),
        Err(error) => Err(Failure::io(format!("cannot start `{shown}`"), &error)),
    }
}
