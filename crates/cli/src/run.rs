//! Runs one command line: parses it, runs the command, prints its output.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::FromArgMatches;
use clap_complete::env::CompleteEnv;

use crate::Environment;
use crate::arguments::CommandLine;
use crate::command::Command;
use crate::completion;
#[cfg(all(target_os = "linux", feature = "process"))]
use crate::environment::HELPER;
use crate::environment::Program;
use crate::failure::Failure;
use crate::output::{Exit, Output};

/// Runs the arguments of this process in the environment of this process, under the name and version of the calling program.
///
/// ```text
/// fn main() -> std::process::ExitCode {
///     repertoire_cli::main!()
/// }
/// ```
#[macro_export]
macro_rules! main {
    () => {
        $crate::main(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"))
    };
}

/// Runs the arguments of this process in the environment of this process. The macro [`main!`](crate::main!) passes the name and
/// version of the calling program.
///
/// A program that calls this also runs plugins: a host starts it again with `plugin-host` as its first argument. In the same
/// way it starts itself as the supervisor of the commands that skills run.
pub fn main(name: &'static str, version: &'static str) -> ExitCode {
    #[cfg(all(unix, feature = "plugin"))]
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == "plugin-host")
    {
        return repertoire::source::plugin::plugin_host();
    }
    #[cfg(all(target_os = "linux", feature = "process"))]
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == HELPER)
    {
        return repertoire::render::helper(std::env::args_os().skip(2));
    }
    answer_completion(Program { name, version });
    // Programs of skills run as the same user: without this they could read the environment, tokens included, of this process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    match Environment::from_process() {
        Ok(environment) => run(std::env::args_os(), environment.program(name, version)).into(),
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "error: cannot determine the working folder: {error}"
            );
            Exit::Failure.into()
        }
    }
}

/// Answers a completion script and ends the process, if one started it.
fn answer_completion(program: Program) {
    let command = move || CommandLine::of_program(program);
    CompleteEnv::with_factory(command)
        .var(completion::VARIABLE)
        .complete();
}

/// Runs one command line, the program's name first.
///
/// Reads files, writes those that the command is documented to write, and accesses nothing else but `environment`. If the
/// reader of the output closes it early, the run ends with [`Exit::Success`].
///
/// # Panics
/// Inside a tokio runtime: the run starts its own.
pub fn run(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    mut environment: Environment<'_>,
) -> Exit {
    let written = match parse(arguments, &environment) {
        Ok(arguments) => run_command(&arguments, &mut environment),
        Err(error) => print_usage(&error, &mut environment),
    };
    match written {
        Ok(exit) => exit,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => print_failure(
            &Failure::io("cannot write the output", &error),
            &mut environment,
        ),
    }
}

fn parse(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    environment: &Environment<'_>,
) -> Result<CommandLine, clap::Error> {
    let mut command = CommandLine::of_program(environment.program);
    if !environment.stdout.is_terminal() {
        // Otherwise clap measures a terminal that the output may not go to.
        command = command.term_width(100);
    }
    let mut arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let mut matches = command.try_get_matches_from_mut(&arguments)?;
    if matches.subcommand_name().is_none() {
        arguments.push("status".into());
        matches = command.try_get_matches_from_mut(&arguments)?;
    }
    let mut arguments = CommandLine::from_arg_matches(&matches)?;
    arguments.name = matches.subcommand_name().unwrap_or_default().to_owned();
    Ok(arguments)
}

fn run_command(arguments: &CommandLine, environment: &mut Environment<'_>) -> io::Result<Exit> {
    environment.stdout.set_colours(arguments.color);
    environment.stderr.set_colours(arguments.color);
    environment.verbosity = arguments.verbosity();
    let mut runtime = match arguments.command {
        #[cfg(feature = "mcp")]
        Command::Serve(_) => tokio::runtime::Builder::new_multi_thread(),
        #[cfg(feature = "gateway")]
        Command::Gateway(_) | Command::Workflow(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build()?;
    match runtime.block_on(compose_and_run(arguments, environment)) {
        Ok(written) => written,
        Err(failure) => Ok(print_failure(&failure, environment)),
    }
}

async fn compose_and_run(
    arguments: &CommandLine,
    environment: &mut Environment<'_>,
) -> Result<io::Result<Exit>, Failure> {
    let CommandLine {
        sources,
        command,
        name,
        ..
    } = arguments;
    let format = arguments.format();
    arguments.refuse_unused()?;
    if let Command::Watch(watch) = command {
        return watch
            .run(sources, arguments.model(), format, environment)
            .await;
    }
    #[cfg(feature = "watch")]
    if let Command::Status(status) = command
        && let Some(ended) = status.watch(sources, format, environment).await
    {
        return ended;
    }
    #[cfg(feature = "mcp")]
    if let Command::Serve(serve) = command {
        return serve.run(sources, environment).await.map(Ok);
    }
    #[cfg(feature = "gateway")]
    if let Command::Gateway(gateway) = command {
        return gateway.run(sources, format, environment).await;
    }
    #[cfg(feature = "gateway")]
    if let Command::Workflow(workflow) = command {
        return workflow.run(sources, format, environment).await;
    }
    let mut out = Output::new(name, format, environment);
    #[cfg(feature = "man")]
    if let Command::Man(man) = command {
        let program = environment.program;
        man.run(CommandLine::of_program(program), program, &mut out)?;
        return Ok(out.print(environment));
    }
    command
        .run(sources, arguments.model(), environment, &mut out)
        .await?;
    Ok(out.print(environment))
}

fn print_failure(failure: &Failure, environment: &mut Environment<'_>) -> Exit {
    let text = failure.report().draw(environment.stderr.is_coloured());
    environment.write_stderr(&text);
    Exit::Failure
}

/// Prints help and versions as data, and wrong usage as an error.
fn print_usage(error: &clap::Error, environment: &mut Environment<'_>) -> io::Result<Exit> {
    let stream = if error.use_stderr() {
        &mut environment.stderr
    } else {
        &mut environment.stdout
    };
    let text = error.render();
    let text = if stream.is_coloured() {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    stream.write_all(text.as_bytes())?;
    stream.flush()?;
    Ok(if error.use_stderr() {
        Exit::Failure
    } else {
        Exit::Success
    })
}
