//! `repertoire serve`.

mod commands;
mod reading;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;

use clap::Args;
use repertoire::{Budget, CatalogOptions};
use repertoire_mcp::{Faces, HttpOptions, Limits, Server, ServerOptions, Token};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tracing::level_filters::LevelFilter;

use self::reading::Reading;
use super::modes::Offered;
use super::render::SandboxArgs;
use crate::arguments::{Places, at_least_one};
use crate::compose::{Named, Plan, reload};
use crate::failure::Failure;
use crate::finding::{Finding, Sources};
use crate::log::LogForm;
use crate::pool::Pool;
use crate::signals::Signal;
use crate::{Environment, Exit};

/// Serve the skills over MCP: to one client over standard input and output, or to many over HTTP.
///
/// Clients are told of changes as they happen. Goes on until the client leaves or a signal ends it; a hang-up signal (SIGHUP) has
/// the places to look read again, the configuration file with them. Standard output belongs to the protocol; the log goes to
/// standard error, as `RUST_LOG` says. Commands in skills are not run for a client, unless `--run-commands` says so.
#[derive(Debug, Args)]
#[command(mut_arg("sandbox", |arg| arg.requires("run_commands")))]
pub(crate) struct Serve {
    /// Look in these folders alone.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Serve over streamable HTTP at this address, as in `127.0.0.1:8321`; the path is `/mcp`.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// The ways to serve with: `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`.
    #[arg(long, value_name = "FACES", default_value_t)]
    faces: Faces,
    /// Serve every client with all of them, whatever is known of it.
    #[arg(long)]
    any_client: bool,
    /// What the server calls itself.
    #[arg(long, value_name = "NAME", default_value = "repertoire")]
    name: String,
    /// How many tokens the catalog in the instructions may have.
    #[arg(long, value_name = "N", default_value_t = 500)]
    catalog_tokens: usize,
    /// Run the approved commands of this source for whoever reads its skills by a tool or as a prompt.
    #[arg(long = "run-commands", value_name = "SOURCE")]
    run_commands: Vec<String>,
    #[command(flatten)]
    sandbox: SandboxArgs,
    #[command(flatten)]
    offered: Offered,
    #[command(flatten)]
    network: Network,
    /// The form of the log.
    #[arg(long, value_enum, default_value_t)]
    log: LogForm,
}

/// Who may ask over HTTP, and how much.
#[derive(Debug, Args)]
#[command(next_help_heading = "Over HTTP")]
struct Network {
    /// Ask clients for the token in this file: `Authorization: Bearer TOKEN`. One is needed off this machine.
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Ask clients for the token in this environment variable.
    #[arg(long, value_name = "VARIABLE", requires = "http", conflicts_with = "token_file")]
    token_env: Option<String>,
    /// Also answer requests to this host, with or without a port.
    #[arg(long = "allow-host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,
    /// Also answer pages of this origin, as in `https://app.example`.
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http", value_parser = origin)]
    origins: Vec<String>,
    /// Requests of one address in a second; without a limit on this machine, else 100.
    #[arg(long, value_name = "N", requires = "http", value_parser = at_least_one::<NonZeroU32>)]
    rate: Option<NonZeroU32>,
    /// Sessions at once.
    #[arg(long, value_name = "N", requires = "http", default_value_t = Limits::default().sessions)]
    max_sessions: usize,
    /// Requests that are answered at once.
    #[arg(long, value_name = "N", requires = "http", default_value_t = Limits::default().requests)]
    max_requests: usize,
    /// Bytes of one request.
    #[arg(long, value_name = "BYTES", requires = "http", default_value_t = Limits::default().body)]
    max_body: usize,
}

/// Requests of one address in a second, off this machine.
const RATE: NonZeroU32 = NonZeroU32::new(100).expect("it is not zero");

impl Serve {
    /// Serves until the client leaves or a signal ends it.
    pub(crate) async fn run(&self, places: &Places, environment: &mut Environment<'_>) -> Result<Exit, Failure> {
        if self.http.is_some() && !self.run_commands.is_empty() && !self.network.asks_for_token() {
            let failure = Failure::new(
                "commands are not run for clients of HTTP that prove nothing: any user of this machine is one",
            );
            return Err(failure.help("give `--token-file` or `--token-env`, or serve without `--run-commands`"));
        }
        let http = match self.http {
            Some(address) => Some((address, self.network.options(address, environment)?)),
            None => None,
        };
        self.begin_log(environment)?;
        let listening = environment.signals.listen();
        listening.map_err(|error| Failure::io("cannot listen to signals", &error))?;
        let mut pool = Pool::watching();
        let plan = Plan::read(places, Named::Alone(&self.folders), environment, &mut pool)?;
        let registry = plan.start(environment).await?;
        let reading = Arc::new(Reading::new(&plan, registry.clone(), &self.run_commands, self.sandbox, environment)?);
        let server = Server::new(registry.clone(), self.options().reader(reading.clone()));
        let served = self.serve(&server, &reading, http, places, &mut pool, environment).await;
        registry.close().await;
        served.map(|()| Exit::Success)
    }

    async fn serve(
        &self,
        server: &Server,
        reading: &Reading,
        http: Option<(SocketAddr, HttpOptions)>,
        places: &Places,
        pool: &mut Pool,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let end = Notify::new();
        let listener = match &http {
            Some((address, _)) => Some(listen(*address, environment).await?),
            None => None,
        };
        let serving = async {
            match (listener, &http) {
                (Some(listener), Some((_, options))) => {
                    let served = server.serve_http(listener, options, end.notified()).await;
                    served.map_err(|error| Failure::of(&error).help("give `--token-file` or `--token-env`"))
                }
                _ => server.serve_stdio(end.notified()).await.map_err(|error| Failure::of(&error)),
            }
        };
        let mut serving = pin!(serving);
        let (mut updates, mut told) = (server.registry().subscribe(), BTreeSet::new());
        tell(server, &mut told, environment);
        loop {
            tokio::select! {
                served = &mut serving => return served,
                Some(_) = updates.next() => tell(server, &mut told, environment),
                signal = environment.signals.next() => match signal {
                    Signal::Stop => {
                        end.notify_one();
                        return serving.await;
                    }
                    Signal::Reload => {
                        let take = async |plan: &Plan, environment: &Environment<'_>| {
                            reading.recompose(plan, environment).await
                        };
                        reload(places, &self.folders, pool, environment, take).await;
                    }
                },
            }
        }
    }

    fn options(&self) -> ServerOptions {
        let options = ServerOptions::default()
            .name(self.name.as_str())
            .faces(self.faces)
            .modes(self.offered.modes())
            .catalog(CatalogOptions::default().budget(Budget::Tokens(self.catalog_tokens)));
        if self.any_client { options.presets([]) } else { options }
    }

    /// Over HTTP every request is logged, else only what went wrong.
    fn begin_log(&self, environment: &Environment<'_>) -> Result<(), Failure> {
        let level = if self.http.is_some() { LevelFilter::INFO } else { LevelFilter::WARN };
        environment.log.begin(variable("RUST_LOG", environment), level, self.log)
    }
}

/// Reports once each served skill that asks for what clients of MCP do not have.
fn tell(server: &Server, told: &mut BTreeSet<String>, environment: &mut Environment<'_>) {
    for diagnostic in server.surface_diagnostics() {
        if told.insert(diagnostic.message.clone()) {
            let finding = Finding::new("".into(), diagnostic);
            let text = Sources::default().draw(&finding, &environment.cwd, environment.stderr.is_coloured());
            environment.say(&text);
        }
    }
}

impl Network {
    fn asks_for_token(&self) -> bool {
        self.token_file.is_some() || self.token_env.is_some()
    }

    fn options(&self, address: SocketAddr, environment: &mut Environment<'_>) -> Result<HttpOptions, Failure> {
        let is_here = address.ip().is_loopback();
        let mut limits = Limits::default();
        (limits.sessions, limits.requests, limits.body) = (self.max_sessions, self.max_requests, self.max_body);
        limits.rate = self.rate.or((!is_here).then_some(RATE));
        let options = HttpOptions::default().limits(limits);
        let options = if address.ip().is_unspecified() { options } else { options.host(address.ip().to_string()) };
        let options = self.hosts.iter().fold(options, HttpOptions::host);
        let options = self.origins.iter().fold(options, HttpOptions::origin);
        match self.token(environment)? {
            Some(token) => Ok(options.token(token)),
            None if is_here => Ok(options),
            None => {
                let failure =
                    Failure::new(format!("`{address}` is reached from other machines, and no token is asked for"));
                Err(failure.help("give `--token-file` or `--token-env`"))
            }
        }
    }

    fn token(&self, environment: &mut Environment<'_>) -> Result<Option<Token>, Failure> {
        let (place, text) = match (&self.token_file, &self.token_env) {
            (Some(path), _) => {
                let place = format!("`{}`", path.display());
                let read = read_token(&environment.cwd.join(path));
                let (text, open) = read.map_err(|error| Failure::io(format!("cannot read {place}"), &error))?;
                match open {
                    Open::OwnerOnly => {}
                    Open::Readable => environment
                        .say(&format!("warning: {place} can be read by every user of this machine: `chmod 600` it\n")),
                    Open::Writable => {
                        let failure = Failure::new(format!("{place} can be written by every user of this machine"));
                        return Err(failure.help("make a new token in a file of `chmod 600`"));
                    }
                }
                (place, text)
            }
            (None, Some(name)) => {
                let text = variable(name, environment).ok_or_else(|| Failure::new(format!("no variable `{name}`")))?;
                (format!("the variable `{name}`"), text.to_owned())
            }
            (None, None) => return Ok(None),
        };
        let token = Token::new(&text);
        token.map(Some).map_err(|error| Failure::new(format!("no token in {place}: {error}")))
    }
}

/// Who can open the file of a token.
enum Open {
    OwnerOnly,
    Readable,
    Writable,
}

/// The text of a token's file, and who else can open it.
fn read_token(path: &Path) -> io::Result<(String, Open)> {
    let mut file = File::open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((text, openness(&file)?))
}

#[cfg(unix)]
fn openness(file: &File) -> io::Result<Open> {
    use std::os::unix::fs::MetadataExt;
    Ok(match file.metadata()?.mode() {
        mode if mode & 0o002 != 0 => Open::Writable,
        mode if mode & 0o004 != 0 => Open::Readable,
        _ => Open::OwnerOnly,
    })
}

#[cfg(not(unix))]
fn openness(_: &File) -> io::Result<Open> {
    Ok(Open::OwnerOnly)
}

/// An origin as browsers write it, which is how it is compared.
fn origin(text: &str) -> Result<String, String> {
    let origin = text.to_ascii_lowercase();
    let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
        let is_host = |text: &str| !text.is_empty() && !text.contains(['/', '*', '?', '#', '@', ' ']);
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') && is_host(host)
    });
    if is_origin {
        Ok(origin)
    } else {
        Err("expected a scheme and a host alone, as in `https://app.example`".to_owned())
    }
}

async fn listen(address: SocketAddr, environment: &mut Environment<'_>) -> Result<TcpListener, Failure> {
    let cannot = |error: std::io::Error| Failure::io(format!("cannot listen at `{address}`"), &error);
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    environment.say(&format!("note: serving at http://{address}/mcp\n"));
    Ok(listener)
}

fn variable<'e>(name: &str, environment: &'e Environment<'_>) -> Option<&'e str> {
    environment.variables.iter().find(|(key, _)| key == name)?.1.to_str()
}
