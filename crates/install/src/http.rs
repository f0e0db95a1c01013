//! Downloads over HTTP, within limits.

mod public_address;

use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use repertoire_core::text::terminal_line;
use reqwest::header::{ACCEPT, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Method, NoProxy, Proxy, Response, StatusCode, Url};

use crate::install_error::{InstallError, InstallErrorKind};
use crate::limits;
use public_address::{PrivateAddress, PublicResolver, is_public};

/// The settings of downloads over HTTP.
///
/// Addresses of private networks and of this machine are refused, also behind a redirect or a name. A proxy resolves names
/// itself, so that behind a proxy only URLs with an address are checked. `Debug` shows no proxy, as its URL may hold a password.
#[derive(Clone, Default)]
pub struct HttpSettings {
    proxies: Vec<(ProxiedScheme, String)>,
    direct: String,
    hosts: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProxiedScheme {
    Https,
    Http,
    All,
}

/// A client for one command, with its limits.
///
/// It sends no cookies and no credentials but those in the headers of a request, which a redirect to a different origin loses.
#[derive(Debug)]
pub(crate) struct HttpClient {
    http: reqwest::Client,
    hosts: BTreeSet<String>,
    received: AtomicU64,
}

/// A request without a body.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// The limit of the answer, in bytes.
    pub(crate) most_bytes: u64,
}

/// An answer with any status.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    /// The URL behind every redirect.
    pub(crate) url: Url,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

const REDIRECTS: usize = 5;
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// The time between two pieces of an answer.
const SILENT_TIME: Duration = Duration::from_secs(30);
const WHOLE_TIME: Duration = Duration::from_secs(600);

impl HttpSettings {
    /// Creates settings with the proxies that the variables `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` name, also
    /// in capitals.
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>) -> HttpSettings {
        let mut settings = HttpSettings::default();
        for (name, value) in environment {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            let scheme = match name.to_ascii_lowercase().as_str() {
                "https_proxy" => ProxiedScheme::Https,
                "http_proxy" => ProxiedScheme::Http,
                "all_proxy" => ProxiedScheme::All,
                "no_proxy" => {
                    settings.direct = value.to_owned();
                    continue;
                }
                _ => continue,
            };
            if !value.is_empty() {
                settings.proxies.push((scheme, value.to_owned()));
            }
        }
        // The first proxy that matches is used.
        settings
            .proxies
            .sort_by_key(|(scheme, _)| *scheme == ProxiedScheme::All);
        settings
    }

    /// Allows a host that has a private address: a name or an address, without a port.
    #[must_use]
    pub fn allow_host(mut self, host: &str) -> HttpSettings {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        self.hosts.insert(host.to_ascii_lowercase());
        self
    }

    pub(crate) fn addresses(&self, url: &str) -> Result<Vec<SocketAddr>, InstallError> {
        let invalid = || {
            let message = format!("`{}` is not a URL of a web server", terminal_line(url));
            InstallError::new(InstallErrorKind::Reference, message)
        };
        let url = Url::parse(url).map_err(|_| invalid())?;
        let host = host_of(&url).ok_or_else(invalid)?;
        let port = url.port_or_known_default().ok_or_else(invalid)?;
        let literal = host.parse::<IpAddr>().ok();
        let found: Vec<SocketAddr> = match (host, port).to_socket_addrs() {
            Ok(found) => found.collect(),
            Err(_) if !self.proxies.is_empty() => Vec::new(),
            Err(error) => {
                let what = format!("`{}` cannot be reached", terminal_line(host));
                return Err(InstallError::io(what, error).unavailable());
            }
        };
        let is_private = found.iter().any(|address| !is_public(address.ip()));
        if is_private && !self.hosts.contains(host) {
            return Err(private(host));
        }
        Ok(match literal {
            Some(_) => Vec::new(),
            None => found,
        })
    }

    fn proxies(&self) -> Result<(Vec<Proxy>, BTreeSet<String>), InstallError> {
        let (mut proxies, mut hosts) = (Vec::new(), BTreeSet::new());
        let direct = format!("{},localhost,127.0.0.0/8,::1", self.direct);
        for (scheme, url) in &self.proxies {
            let proxy = match scheme {
                ProxiedScheme::Https => Proxy::https(url),
                ProxiedScheme::Http => Proxy::http(url),
                ProxiedScheme::All => Proxy::all(url),
            };
            let proxy = proxy.map_err(|error| {
                let error = io::Error::other(error.without_url());
                InstallError::io("a variable with the URL of a proxy is invalid", error)
            })?;
            proxies.push(proxy.no_proxy(NoProxy::from_string(&direct)));
            let host = Url::parse(url).ok();
            hosts.extend(host.and_then(|url| Some(host_of(&url)?.to_owned())));
        }
        Ok((proxies, hosts))
    }
}

impl fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSettings")
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

impl HttpRequest {
    /// Creates a `GET` without headers.
    pub(crate) fn get(url: Url, most_bytes: u64) -> HttpRequest {
        HttpRequest {
            method: Method::GET,
            url,
            headers: HeaderMap::new(),
            most_bytes,
        }
    }
}

impl HttpClient {
    /// Runs `work` with a client to its end.
    ///
    /// `work` runs in a thread of its own, as the caller may be inside a runtime.
    ///
    /// # Errors
    /// Those of `work`, and of an invalid proxy.
    pub(crate) fn run<T: Send, F>(
        settings: &HttpSettings,
        work: impl FnOnce(HttpClient) -> F + Send,
    ) -> Result<T, InstallError>
    where
        F: Future<Output = Result<T, InstallError>>,
    {
        thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build();
                let runtime =
                    runtime.map_err(|error| InstallError::io("cannot start a download", error))?;
                let client = HttpClient::new(settings)?;
                runtime.block_on(work(client))
            });
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    fn new(settings: &HttpSettings) -> Result<HttpClient, InstallError> {
        let (proxies, mut reachable) = settings.proxies()?;
        reachable.extend(settings.hosts.iter().cloned());
        let builder = reqwest::Client::builder()
            // Every redirect is checked.
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIME)
            .read_timeout(SILENT_TIME)
            .timeout(WHOLE_TIME)
            .user_agent(concat!("repertoire/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(PublicResolver { reachable }))
            .no_proxy();
        let builder = proxies
            .into_iter()
            .fold(builder, |builder, proxy| builder.proxy(proxy));
        let http = builder.build().map_err(|error| {
            InstallError::io("cannot create an HTTP client", io::Error::other(error))
        })?;
        Ok(HttpClient {
            http,
            hosts: settings.hosts.clone(),
            received: AtomicU64::new(0),
        })
    }

    /// Downloads a URL.
    ///
    /// # Errors
    /// Those of [`send`](HttpClient::send), and [`Unavailable`](InstallErrorKind::Unavailable) for a status that is not a success.
    pub(crate) async fn download(
        &self,
        url: Url,
        most_bytes: u64,
    ) -> Result<HttpAnswer, InstallError> {
        let answer = self.send(HttpRequest::get(url, most_bytes)).await?;
        match answer.status.is_success() {
            true => Ok(answer),
            false => Err(answer.unexpected()),
        }
    }

    /// Sends a request, and follows at most 5 redirects.
    ///
    /// # Errors
    /// - [`Refused`](InstallErrorKind::Refused) for a private address, a redirect that leads to a less safe place, and an
    ///   answer over the limit.
    /// - [`Unavailable`](InstallErrorKind::Unavailable) if the host cannot be reached or does not answer in time.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<HttpAnswer, InstallError> {
        let HttpRequest {
            method,
            mut url,
            mut headers,
            most_bytes,
        } = request;
        for _ in 0..=REDIRECTS {
            self.check(&url)?;
            let sent = self.http.request(method.clone(), url.clone());
            let sent = sent.headers(headers.clone()).send().await;
            let response = sent.map_err(|error| failed(&url, error))?;
            let Some(next) = redirect(&response, &url)? else {
                return self.read(response, url, most_bytes).await;
            };
            if next.origin() != url.origin() {
                let accept = headers.remove(ACCEPT);
                headers.clear();
                headers.extend(accept.map(|accept| (ACCEPT, accept)));
            }
            url = next;
        }
        Err(InstallError::refused(format!(
            "`{}` redirects more than {REDIRECTS} times",
            shown(&url)
        )))
    }

    fn check(&self, url: &Url) -> Result<(), InstallError> {
        let host = match host_of(url) {
            Some(host) if ["http", "https"].contains(&url.scheme()) => host,
            _ => {
                return Err(InstallError::refused(format!(
                    "`{}` is not a URL with `http` or `https`",
                    shown(url)
                )));
            }
        };
        let is_private = host.parse().is_ok_and(|address| !is_public(address));
        match is_private && !self.hosts.contains(host) {
            true => Err(private(host)),
            false => Ok(()),
        }
    }

    async fn read(
        &self,
        mut response: Response,
        url: Url,
        most_bytes: u64,
    ) -> Result<HttpAnswer, InstallError> {
        let (status, headers) = (response.status(), response.headers().clone());
        if response
            .content_length()
            .is_some_and(|length| length > most_bytes)
        {
            return Err(too_long(&url, most_bytes));
        }
        let mut body = BytesMut::new();
        while let Some(piece) = response
            .chunk()
            .await
            .map_err(|error| failed(&url, error))?
        {
            if (body.len() + piece.len()) as u64 > most_bytes {
                return Err(too_long(&url, most_bytes));
            }
            body.extend_from_slice(&piece);
            let piece = piece.len() as u64;
            let received = self.received.fetch_add(piece, Ordering::Relaxed) + piece;
            if received > limits::DOWNLOAD_BYTES {
                return Err(InstallError::refused(format!(
                    "the downloads have more than {} bytes together",
                    limits::DOWNLOAD_BYTES
                )));
            }
        }
        Ok(HttpAnswer {
            url,
            status,
            headers,
            body: body.freeze(),
        })
    }
}

impl HttpAnswer {
    /// Returns the error about a status that was not expected.
    pub(crate) fn unexpected(&self) -> InstallError {
        let message = format!(
            "`{}` answers with the status {}",
            shown(&self.url),
            self.status
        );
        let error = InstallError::new(InstallErrorKind::Unavailable, message);
        let wait = self.headers.get(RETRY_AFTER);
        match wait.and_then(|wait| wait.to_str().ok()?.parse::<u32>().ok()) {
            Some(seconds) => error.help(format!("try again in {seconds} s")),
            None => error,
        }
    }
}

/// Returns the URL that a response redirects to.
fn redirect(response: &Response, url: &Url) -> Result<Option<Url>, InstallError> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect);
    let Some(location) = location else {
        return Ok(None);
    };
    let next = location.to_str().ok().and_then(|next| url.join(next).ok());
    let next = next.ok_or_else(|| bad_redirect(url, "an invalid URL"))?;
    if url.scheme() == "https" && next.scheme() != "https" {
        return Err(bad_redirect(url, "a URL without `https`"));
    }
    if !next.username().is_empty() || next.password().is_some() {
        return Err(bad_redirect(url, "a URL with credentials"));
    }
    Ok(Some(next))
}

fn bad_redirect(url: &Url, target: &str) -> InstallError {
    InstallError::refused(format!("`{}` redirects to {target}", shown(url)))
}

/// Returns the host of a URL, without the brackets of an IPv6 address.
pub(crate) fn host_of(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(host.trim_start_matches('[').trim_end_matches(']'))
}

fn failed(url: &Url, error: reqwest::Error) -> InstallError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(PrivateAddress { host }) = inner.downcast_ref() {
            return private(host);
        }
        cause = inner.source();
    }
    let what = format!("`{}` cannot be fetched", shown(url));
    InstallError::io(what, io::Error::other(error.without_url())).unavailable()
}

fn too_long(url: &Url, most_bytes: u64) -> InstallError {
    InstallError::refused(format!("`{}` has more than {most_bytes} bytes", shown(url)))
}

fn private(host: &str) -> InstallError {
    InstallError::refused(format!("`{}` has a private address", terminal_line(host)))
        .help("pass `--allow-host HOST` if you trust it")
}

fn shown(url: &Url) -> String {
    // A query may hold a secret.
    let mut url = url.clone();
    url.set_query(None);
    terminal_line(url.as_str()).into_owned()
}

#[cfg(test)]
mod tests;
