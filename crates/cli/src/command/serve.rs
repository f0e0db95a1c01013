//! `repertoire serve`.

mod reader;

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
use repertoire_mcp::{AccessToken, HttpLimits, HttpOptions, McpFeatures, Server, ServerOptions};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tracing::level_filters::LevelFilter;

use self::reader::ReloadableReader;
use super::selection::ExposureOptions;
use crate::command_approval::SandboxOption;
use crate::compose::{NamedFolders, SourceComposition, reload};
use crate::diagnostics::{DiagnosticPrinter, QuotableFolders, ReportedDiagnostic};
use crate::environment::Verbosity;
use crate::failure::Failure;
use crate::followed_policy::FollowedPolicy;
use crate::log::{self, LogForm, LogLayer};
use crate::options::{SearchedFolders, SourceOptions, at_least_one};
use crate::signals::Signal;
use crate::source_cache::SourceCache;
#[cfg(feature = "otlp")]
use crate::trace_export::TraceExport;
use crate::{Environment, Exit};

/// Run an MCP server for your skills (stdio, or HTTP with --http).
///
/// Runs until the client disconnects or a signal arrives. Notifies clients of changes. SIGHUP reloads the configuration file and
/// the sources. The protocol uses stdout. Logs go to stderr, filtered by RUST_LOG. Commands in skills run only with
/// --run-commands.
#[derive(Debug, Args)]
#[command(
    mut_arg("confine", |arg| arg.requires("run_commands")),
    after_help = "Examples:\n  repertoire serve --trust-project\n  repertoire serve --http 127.0.0.1:8321 --token-env REPERTOIRE_TOKEN"
)]
pub(crate) struct ServeCommand {
    #[command(flatten)]
    searched: SearchedFolders,
    /// Serve streamable HTTP at this address, e.g. `127.0.0.1:8321`; the path is `/mcp`.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// MCP features to expose: `all`, or any of `extension`, `resources`, `prompts`, `tools` and `instructions`.
    #[arg(long = "expose", value_name = "FEATURES", default_value_t)]
    features: McpFeatures,
    /// Expose the same features to every client. By default, a known client gets the features that it uses.
    #[arg(long)]
    any_client: bool,
    /// Server name.
    #[arg(long, value_name = "NAME", default_value = "repertoire")]
    name: String,
    /// Token budget for the catalog in the server instructions.
    #[arg(long, value_name = "N", default_value_t = 500)]
    catalog_tokens: usize,
    /// Run approved commands of this source when a client reads its skills (repeatable).
    #[arg(long = "run-commands", value_name = "SOURCE")]
    run_commands: Vec<String>,
    #[command(flatten)]
    sandbox: SandboxOption,
    #[command(flatten)]
    exposure: ExposureOptions,
    /// Log format.
    #[arg(long, value_enum, default_value_t)]
    log: LogForm,
    #[command(flatten)]
    network: NetworkOptions,
}

/// The options of the HTTP server.
#[derive(Debug, Args)]
#[command(next_help_heading = "HTTP options")]
pub(super) struct NetworkOptions {
    /// Require the bearer token in this file, which you or root must own. A token is mandatory except on loopback.
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Require the bearer token in this environment variable.
    #[arg(
        long,
        value_name = "VARIABLE",
        requires = "http",
        conflicts_with = "token_file"
    )]
    token_env: Option<String>,
    /// Also accept this Host header, with or without a port.
    #[arg(long = "allow-host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,
    /// Also accept this Origin, e.g. `https://app.example`.
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http", value_parser = origin)]
    origins: Vec<String>,
    /// Maximum requests per second from one address [default: unlimited on loopback, otherwise 100].
    #[arg(long, value_name = "N", requires = "http", value_parser = at_least_one::<NonZeroU32>)]
    rate: Option<NonZeroU32>,
    /// Maximum concurrent sessions.
    #[arg(long, value_name = "N", requires = "http", default_value_t = HttpLimits::default().sessions)]
    max_sessions: usize,
    /// Maximum concurrent requests.
    #[arg(long, value_name = "N", requires = "http", default_value_t = HttpLimits::default().requests)]
    max_requests: usize,
    /// Maximum request size in bytes.
    #[arg(long, value_name = "BYTES", requires = "http", default_value_t = HttpLimits::default().body)]
    max_body: usize,
}

const RATE: NonZeroU32 = NonZeroU32::new(100).expect("it is not zero");

impl ServeCommand {
    pub(crate) async fn run(
        &self,
        options: &SourceOptions,
        environment: &mut Environment<'_>,
    ) -> Result<Exit, Failure> {
        if self.http.is_some() && !self.run_commands.is_empty() && !self.network.has_token() {
            let failure = Failure::new(
                "`--run-commands` with `--http` needs a token: without one any user of this machine can run them",
            );
            return Err(failure.help("pass `--token-file` or `--token-env`"));
        }
        let http = match self.http {
            Some(address) => Some((address, self.network.options(address, environment)?)),
            None => None,
        };
        let layers = self.log_layer(environment)?.into_iter();
        #[cfg(feature = "otlp")]
        let traces = TraceExport::start(environment)?;
        #[cfg(feature = "otlp")]
        let layers = layers.chain(traces.iter().map(TraceExport::layer));
        log::start(layers.collect());
        let listening = environment.signals.listen();
        listening.map_err(|error| Failure::io("cannot listen for signals", &error))?;
        let mut cache = SourceCache::default();
        // Followed before they are read, so that no change is missed.
        let mut policy = FollowedPolicy::follow(options.config.as_deref(), environment).await?;
        let composition = SourceComposition::read(
            options,
            NamedFolders::Plain(&self.searched.folders),
            environment,
            &mut cache,
        )?;
        let registry = composition.start(environment).await?;
        let reader = ReloadableReader::new(
            &composition,
            registry.clone(),
            &self.run_commands,
            self.sandbox,
            environment,
        )?;
        let reader = Arc::new(reader);
        let set = |policy: &FollowedPolicy| reader.apply(policy);
        policy.restrict(&registry, environment, set).await;
        let server_options = self
            .options(environment.program.version)
            .reader(reader.clone());
        let index = composition.index_settings(&environment.cwd)?;
        let server = Server::new(registry.clone(), server_options.index(index));
        let served = self
            .serve(
                &server,
                (&reader, policy),
                http,
                options,
                &mut cache,
                environment,
            )
            .await;
        registry.close().await;
        #[cfg(feature = "otlp")]
        if let Some(traces) = traces {
            traces.finish(environment);
        }
        served.map(|()| Exit::Success)
    }

    async fn serve(
        &self,
        server: &Server,
        (reader, mut policy): (&ReloadableReader, FollowedPolicy),
        http: Option<(SocketAddr, HttpOptions)>,
        options: &SourceOptions,
        cache: &mut SourceCache,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let end = Notify::new();
        let listener = match &http {
            Some((address, _)) => Some(listen(*address, environment).await?),
            None => None,
        };
        let serving = async {
            match (listener, &http) {
                (Some(listener), Some((_, http))) => {
                    let served = server.serve_http(listener, http, end.notified()).await;
                    served.map_err(|error| {
                        Failure::of(&error).help("pass `--token-file` or `--token-env`")
                    })
                }
                _ => server
                    .serve_stdio(end.notified())
                    .await
                    .map_err(|error| Failure::of(&error)),
            }
        };
        let mut serving = pin!(serving);
        let mut options = options.clone();
        let (mut updates, mut reported) = (server.registry().subscribe(), BTreeSet::new());
        report_surfaces(server, &mut reported, environment);
        loop {
            tokio::select! {
                served = &mut serving => return served,
                Some(_) = updates.next() => {
                    report_surfaces(server, &mut reported, environment);
                    let set = |policy: &FollowedPolicy| reader.apply(policy);
                    policy.restrict(server.registry(), environment, set).await;
                }
                signal = environment.signals.next() => match signal {
                    Signal::Stop => {
                        end.notify_one();
                        return serving.await;
                    }
                    Signal::Reload => {
                        let reading = (reader, &mut policy);
                        self.reload(&options, reading, cache, environment).await;
                    }
                },
                () = policy.changed() => {
                    let set = |policy: &FollowedPolicy| reader.apply(policy);
                    policy.apply(server.registry(), environment, set).await;
                }
                roots = server.roots_changed(&options.client_roots) => {
                    options.client_roots = roots;
                    let reading = (reader, &mut policy);
                    self.reload(&options, reading, cache, environment).await;
                }
            }
        }
    }

    async fn reload(
        &self,
        options: &SourceOptions,
        (reader, policy): (&ReloadableReader, &mut FollowedPolicy),
        cache: &mut SourceCache,
        environment: &mut Environment<'_>,
    ) {
        let apply = async |composition: &SourceComposition, environment: &Environment<'_>| {
            reader.recompose(composition, environment).await?;
            policy.restart(environment);
            Ok(())
        };
        reload(options, &self.searched.folders, cache, environment, apply).await;
    }

    fn options(&self, version: &'static str) -> ServerOptions {
        let options = ServerOptions::default()
            .name(self.name.as_str())
            .version(version)
            .features(self.features)
            .modes(self.exposure.modes())
            .catalog(CatalogOptions::default().budget(Budget::Tokens(self.catalog_tokens)));
        if self.any_client {
            options.ignore_presets()
        } else {
            options
        }
    }

    fn log_layer(&self, environment: &Environment<'_>) -> Result<Option<LogLayer>, Failure> {
        let level = match environment.verbosity {
            Verbosity::Quiet => LevelFilter::ERROR,
            Verbosity::Verbose => LevelFilter::DEBUG,
            Verbosity::Normal if self.http.is_some() => LevelFilter::INFO,
            Verbosity::Normal => LevelFilter::WARN,
        };
        if !environment.is_logging {
            return Ok(None);
        }
        log::filtered(variable("RUST_LOG", environment), level, self.log).map(Some)
    }
}

fn report_surfaces(
    server: &Server,
    reported: &mut BTreeSet<String>,
    environment: &mut Environment<'_>,
) {
    for diagnostic in server.surface_diagnostics() {
        if reported.insert(diagnostic.message.clone()) {
            let diagnostic = ReportedDiagnostic::new("".into(), diagnostic);
            let is_coloured = environment.stderr.is_coloured();
            let text =
                DiagnosticPrinter::new(QuotableFolders::default(), &environment.cwd, is_coloured)
                    .draw(&diagnostic);
            environment.write_stderr(&text);
        }
    }
}

impl NetworkOptions {
    fn has_token(&self) -> bool {
        self.token_file.is_some() || self.token_env.is_some()
    }

    pub(super) fn options(
        &self,
        address: SocketAddr,
        environment: &mut Environment<'_>,
    ) -> Result<HttpOptions, Failure> {
        let options = self.unchecked_options(address, environment)?;
        if options.has_token() || address.ip().is_loopback() {
            return Ok(options);
        }
        let failure = Failure::new(format!("refusing to listen on {address} without a token"));
        Err(failure.help("pass `--token-file` or `--token-env`"))
    }

    /// Returns the options for a host that has tokens of its own.
    pub(super) fn unchecked_options(
        &self,
        address: SocketAddr,
        environment: &mut Environment<'_>,
    ) -> Result<HttpOptions, Failure> {
        let is_loopback = address.ip().is_loopback();
        let mut limits = HttpLimits::default();
        (limits.sessions, limits.requests, limits.body) =
            (self.max_sessions, self.max_requests, self.max_body);
        limits.rate = self.rate.or((!is_loopback).then_some(RATE));
        let options = HttpOptions::default().limits(limits);
        let options = if address.ip().is_unspecified() {
            options
        } else {
            options.host(address.ip().to_string())
        };
        let options = self.hosts.iter().fold(options, HttpOptions::host);
        let options = self.origins.iter().fold(options, HttpOptions::origin);
        Ok(match self.token(environment)? {
            Some(token) => options.token(token),
            None => options,
        })
    }

    fn token(&self, environment: &mut Environment<'_>) -> Result<Option<AccessToken>, Failure> {
        let (place, text) = match (&self.token_file, &self.token_env) {
            (Some(path), _) => {
                let place = format!("`{}`", path.display());
                let read = read_token(&environment.cwd.join(path));
                let (text, exposure) =
                    read.map_err(|error| Failure::io(format!("cannot read {place}"), &error))?;
                let refused = match exposure {
                    TokenExposure::OwnerOnly => None,
                    TokenExposure::Readable => {
                        environment.write_stderr(&format!(
                            "warning: every user of this machine can read {place}: run `chmod 600` on it\n"
                        ));
                        None
                    }
                    TokenExposure::Writable => {
                        Some(format!("every user of this machine can write to {place}"))
                    }
                    TokenExposure::Foreign(owner) => {
                        Some(format!("{place} belongs to another user ({owner})"))
                    }
                };
                if let Some(why) = refused {
                    return Err(Failure::new(why)
                        .help("store a new token in a file of yours with mode 600"));
                }
                (place, text)
            }
            (None, Some(name)) => {
                let text = variable(name, environment)
                    .ok_or_else(|| Failure::new(format!("the variable `{name}` is not set")))?;
                (format!("the variable `{name}`"), text.to_owned())
            }
            (None, None) => return Ok(None),
        };
        let token = AccessToken::new(&text);
        token
            .map(Some)
            .map_err(|error| Failure::new(format!("invalid token in {place}: {error}")))
    }
}

/// The access to a token file by users other than root and the user of the server.
enum TokenExposure {
    OwnerOnly,
    Readable,
    Writable,
    /// The ID of the other user who owns the file or the link to it.
    Foreign(u32),
}

fn read_token(path: &Path) -> io::Result<(String, TokenExposure)> {
    let mut file = File::open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((text, exposure(path, &file)?))
}

#[cfg(unix)]
fn exposure(path: &Path, file: &File) -> io::Result<TokenExposure> {
    use std::os::unix::fs::MetadataExt;

    let (file, own) = (file.metadata()?, rustix::process::geteuid().as_raw());
    let owners = [file.uid(), path.symlink_metadata()?.uid()];
    if let Some(owner) = owners.into_iter().find(|owner| ![0, own].contains(owner)) {
        return Ok(TokenExposure::Foreign(owner));
    }
    Ok(match file.mode() {
        mode if mode & 0o002 != 0 => TokenExposure::Writable,
        mode if mode & 0o004 != 0 => TokenExposure::Readable,
        _ => TokenExposure::OwnerOnly,
    })
}

#[cfg(not(unix))]
fn exposure(_: &Path, _: &File) -> io::Result<TokenExposure> {
    Ok(TokenExposure::OwnerOnly)
}

fn origin(text: &str) -> Result<String, String> {
    let origin = text.to_ascii_lowercase();
    let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
        let is_host =
            |text: &str| !text.is_empty() && !text.contains(['/', '*', '?', '#', '@', ' ']);
        !scheme.is_empty()
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && is_host(host)
    });
    if is_origin {
        Ok(origin)
    } else {
        Err("expected a scheme and a host, e.g. `https://app.example`".to_owned())
    }
}

async fn listen(
    address: SocketAddr,
    environment: &mut Environment<'_>,
) -> Result<TcpListener, Failure> {
    let cannot = |error: std::io::Error| Failure::io(format!("cannot listen on {address}"), &error);
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    environment.write_stderr(&format!("note: listening on http://{address}/mcp\n"));
    Ok(listener)
}

fn variable<'e>(name: &str, environment: &'e Environment<'_>) -> Option<&'e str> {
    environment.variable(name)?.to_str()
}
