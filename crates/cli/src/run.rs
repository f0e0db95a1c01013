//! From arguments to an exit.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::answer::{Answer, deliver};
use crate::arguments::Arguments;
use crate::command;
use crate::failure::Failure;
use crate::{Environment, Exit};

/// Runs this process's arguments in this process's environment.
pub fn main() -> ExitCode {
    match Environment::of_process() {
        Ok(environment) => run(std::env::args_os(), environment).into(),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: cannot tell the working folder: {error}");
            Exit::Failure.into()
        }
    }
}

/// Runs one command line, the program's name first. Reads files; nothing else of the world but `environment`.
///
/// A reader of the output that goes away early ends the run quietly.
///
/// # Panics
/// Inside a tokio runtime: this brings its own.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>, mut environment: Environment<'_>) -> Exit {
    let written = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => answer(&arguments, &mut environment),
        Err(error) => usage(&error, &mut environment),
    };
    match written {
        Ok(exit) => exit,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => fail(&Failure::io("cannot write the answer", &error), &mut environment),
    }
}

fn answer(arguments: &Arguments, environment: &mut Environment<'_>) -> io::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let answer: Result<Box<dyn Answer>, Failure> = runtime.block_on(command::answer(arguments, environment));
    match answer {
        Ok(answer) => {
            deliver(answer.as_ref(), arguments.command.name(), arguments.format(), environment)?;
            Ok(answer.exit())
        }
        Err(failure) => Ok(fail(&failure, environment)),
    }
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

