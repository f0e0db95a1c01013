//! From arguments to an exit.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::answer::{Format, deliver};
use crate::arguments::Arguments;
use crate::command::Command;
use crate::compose::compose;
#[cfg(target_os = "linux")]
use crate::environment::HELPER;
use crate::failure::Failure;
use crate::{Environment, Exit};

/// Runs this process's arguments in this process's environment.
///
/// A program that calls this runs plugins alone, too: a host starts it again with `plugin-host` as its first argument. So it
/// starts itself as the helper of what skills run.
pub fn main() -> ExitCode {
    #[cfg(unix)]
    if std::env::args_os().nth(1).is_some_and(|word| word == "plugin-host") {
        return repertoire::plugin_host();
    }
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(1).is_some_and(|word| word == HELPER) {
        return repertoire::render::helper(std::env::args_os().skip(2));
    }
    // A command may run programs of skills, which are processes of the same user: what this one was started with, tokens
    // among it, is not theirs to read.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    match Environment::of_process() {
        Ok(environment) => run(std::env::args_os(), environment).into(),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: cannot tell the working folder: {error}");
            Exit::Failure.into()
        }
    }
}

/// Runs one command line, the program's name first. Reads files, and writes those that a command is there to write;
/// touches nothing else of the world but `environment`.
///
/// A reader of the output that goes away early ends the run quietly.
///
/// # Panics
/// Inside a tokio runtime: this brings its own.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>, mut environment: Environment<'_>) -> Exit {
    let written = match parse(arguments, &environment) {
        Ok(arguments) => answer(&arguments, &mut environment),
        Err(error) => usage(&error, &mut environment),
    };
    match written {
        Ok(exit) => exit,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => fail(&Failure::io("cannot write the answer", &error), &mut environment),
    }
}

fn parse(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    environment: &Environment<'_>,
) -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    if !environment.stdout.is_terminal() {
        // No terminal to ask, and none to be asked that happens to be near.
        command = command.term_width(100);
    }
    Arguments::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

fn answer(arguments: &Arguments, environment: &mut Environment<'_>) -> io::Result<Exit> {
    let mut runtime = match arguments.command {
        Command::Serve(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build()?;
    match runtime.block_on(compose_and_answer(arguments, environment)) {
        Ok(written) => written,
        Err(failure) => Ok(fail(&failure, environment)),
    }
}

async fn compose_and_answer(
    arguments: &Arguments,
    environment: &mut Environment<'_>,
) -> Result<io::Result<Exit>, Failure> {
    let Arguments { places, command, .. } = arguments;
    let (name, format) = (command.name(), arguments.format());
    arguments.refuse_idle()?;
    if format == Format::Sarif && !matches!(command, Command::Check(_)) {
        let message = format!("`{name}` gives no SARIF log; `check` does");
        return Err(Failure::new(message).help("use `--format json`"));
    }
    if let Command::Watch(watch) = command {
        return watch.run(places, arguments.model(), format, environment).await;
    }
    if let Command::Serve(serve) = command {
        return serve.run(places, environment).await.map(Ok);
    }
    if let Some(answer) = command.answer_alone(places, environment).await? {
        return Ok(deliver(answer.as_ref(), name, format, environment));
    }
    let session = compose(places, command.named(), arguments.model(), command.pool(), environment).await?;
    let answer = command.answer(&session, environment).await?;
    Ok(deliver(answer.as_ref(), name, format, environment))
}

fn fail(failure: &Failure, environment: &mut Environment<'_>) -> Exit {
    let text = failure.report().draw(environment.stderr.is_coloured());
    environment.say(&text);
    Exit::Failure
}

/// Help and versions are data, wrong use is not.
fn usage(error: &clap::Error, environment: &mut Environment<'_>) -> io::Result<Exit> {
    let stream = if error.use_stderr() { &mut environment.stderr } else { &mut environment.stdout };
    let text = error.render();
    let text = if stream.is_coloured() { text.ansi().to_string() } else { text.to_string() };
    stream.write_all(text.as_bytes())?;
    stream.flush()?;
    Ok(if error.use_stderr() { Exit::Failure } else { Exit::Success })
}
