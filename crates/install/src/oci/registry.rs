//! Requests to a repository of a registry.

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use repertoire_core::Digest;
use repertoire_core::text::terminal_line;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{StatusCode, Url};
use serde::Deserialize;

use super::docker_config::DockerConfig;
use super::layers;
use super::manifest::{ACCEPTED, Descriptor, Manifest, ManifestContent, created_of_image};
use crate::file_tree::FileTree;
use crate::http::{HttpAnswer, HttpClient, HttpRequest, host_of};
use crate::install_error::{InstallError, InstallErrorKind};
use crate::oci_reference::{OciReference, OciVersion};

/// A repository, with the authorization that its registry granted.
///
/// Every blob and manifest has the digest by which it was requested. Logins are sent to the registry and to the issuer of its
/// tokens alone, and only over `https` or on this machine.
#[derive(Debug)]
pub(super) struct Repository<'a> {
    client: &'a HttpClient,
    /// The URL of the repository, with a final slash.
    url: Url,
    reference: &'a OciReference,
    /// The repository as the registry calls it.
    name: String,
    /// The encoded user and password.
    login: Option<HeaderValue>,
    authorization: Mutex<Option<HeaderValue>>,
}

/// A challenge of a registry.
#[derive(Debug, PartialEq, Eq)]
enum Challenge {
    Basic,
    Bearer { realm: Url, service: Option<String> },
}

/// The files of an artifact, and the time at which it was made.
pub(super) type TimedTree = (FileTree, Option<SystemTime>);

#[derive(Deserialize)]
struct TokenDocument {
    token: Option<String>,
    access_token: Option<String>,
}

const MANIFEST_BYTES: u64 = 4 << 20;
const TOKEN_BYTES: u64 = 1 << 20;
const PARALLEL: usize = 4;

/// The registry of Docker has different names for people and programs.
const DOCKER: &str = "docker.io";
const DOCKER_HOST: &str = "registry-1.docker.io";
const DOCKER_LOGIN: &str = "index.docker.io";

impl<'a> Repository<'a> {
    pub(super) fn new(
        client: &'a HttpClient,
        config: &DockerConfig,
        reference: &'a OciReference,
    ) -> Result<Repository<'a>, InstallError> {
        let registry = reference.registry.as_str();
        let is_docker = registry == DOCKER;
        let name = match is_docker && !reference.repository.contains('/') {
            true => format!("library/{}", reference.repository),
            false => reference.repository.clone(),
        };
        let scheme = match is_loopback(without_port(registry)) {
            true => "http",
            false => "https",
        };
        let host = match is_docker {
            true => DOCKER_HOST,
            false => registry,
        };
        let url = Url::parse(&format!("{scheme}://{host}/v2/{name}/")).map_err(|_| {
            let message = format!(
                "`{}` is not the host of a registry",
                terminal_line(registry)
            );
            InstallError::new(InstallErrorKind::Reference, message)
        })?;
        let login = config.login(registry);
        let login = login.or_else(|| config.login(DOCKER_LOGIN).filter(|_| is_docker));
        let login = login
            .map(|login| secret(&format!("Basic {login}")))
            .transpose()?;
        Ok(Repository {
            client,
            url,
            reference,
            name,
            login,
            authorization: Mutex::default(),
        })
    }

    /// Fetches the manifest or index of the reference, and returns its digest.
    pub(super) async fn manifest(
        &self,
        reference: &OciReference,
    ) -> Result<(Digest, Manifest), InstallError> {
        let version = match &reference.version {
            OciVersion::Tag(tag) => tag.clone(),
            OciVersion::Digest(digest) => digest.to_string(),
        };
        let path = format!("manifests/{version}");
        let answer = self.get(&path, ACCEPTED, MANIFEST_BYTES).await?;
        let digest = Digest::of(&answer.body);
        let stated = answer.headers.get("docker-content-digest");
        let stated = stated.and_then(|stated| stated.to_str().ok());
        // A digest of another kind is not checked, as the content is known by SHA-256.
        let is_other = stated
            .is_some_and(|stated| stated.starts_with("sha256:") && stated != digest.to_string());
        let is_other = is_other
            || matches!(&reference.version, OciVersion::Digest(wanted) if *wanted != digest);
        match is_other {
            true => Err(wrong_digest(reference)),
            false => Ok((digest, Manifest::parse(&answer.body)?)),
        }
    }

    /// Fetches a manifest of an index, and returns its files and its time.
    pub(super) async fn child(&self, child: &Descriptor) -> Result<TimedTree, InstallError> {
        let (_, manifest) = self.manifest(&self.reference.at(child.digest)).await?;
        match &manifest.content {
            ManifestContent::Artifact(layers) => {
                Ok((self.tree(layers).await?, self.created(&manifest).await?))
            }
            _ => Err(InstallError::refused("an index leads to a different index")),
        }
    }

    /// Returns the time at which an artifact was made: that of its annotation, else that of an image.
    pub(super) async fn created(
        &self,
        manifest: &Manifest,
    ) -> Result<Option<SystemTime>, InstallError> {
        match (manifest.created, &manifest.image) {
            (None, Some(image)) => Ok(created_of_image(&self.blob(image).await?)),
            (stated, _) => Ok(stated),
        }
    }

    /// Fetches layers, and returns their files.
    pub(super) async fn tree(&self, layers: &[Descriptor]) -> Result<FileTree, InstallError> {
        let layers = layers.iter().filter(|layer| layers::has_content(layer));
        let blobs = stream::iter(layers.map(async |layer| Ok((layer, self.blob(layer).await?))));
        let blobs: Vec<_> = blobs.buffered(PARALLEL).try_collect().await?;
        layers::merge(blobs)
    }

    async fn blob(&self, layer: &Descriptor) -> Result<Bytes, InstallError> {
        let path = format!("blobs/{}", layer.digest);
        let answer = self.get(&path, "*/*", layer.size).await?;
        let is_right =
            answer.body.len() as u64 == layer.size && Digest::of(&answer.body) == layer.digest;
        match is_right {
            true => Ok(answer.body),
            false => Err(wrong_digest(&self.reference.at(layer.digest))),
        }
    }

    /// Requests a path of the repository, and asks for an authorization if the registry demands one.
    async fn get(
        &self,
        path: &str,
        accepted: &'static str,
        most_bytes: u64,
    ) -> Result<HttpAnswer, InstallError> {
        let url = self.url.join(path).expect("the path is a relative URL");
        let mut request = HttpRequest::get(url.clone(), most_bytes);
        request
            .headers
            .insert(ACCEPT, HeaderValue::from_static(accepted));
        let known = self
            .authorization
            .lock()
            .expect("no thread panics here")
            .clone();
        set_authorization(&mut request, known);
        let answer = self.client.send(request.clone()).await?;
        // A place behind a redirect gets no credentials.
        let is_challenge = answer.status == StatusCode::UNAUTHORIZED && answer.url == url;
        if !is_challenge {
            return self.checked(answer);
        }
        let granted = self.authorize(&answer.headers).await?;
        set_authorization(&mut request, Some(granted.clone()));
        *self.authorization.lock().expect("no thread panics here") = Some(granted);
        self.checked(self.client.send(request).await?)
    }

    fn checked(&self, answer: HttpAnswer) -> Result<HttpAnswer, InstallError> {
        let help = match answer.status {
            status if status.is_success() => return Ok(answer),
            StatusCode::NOT_FOUND => "check the name and the tag".to_owned(),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => self.login_help(),
            _ => return Err(answer.unexpected()),
        };
        let what = match answer.status {
            StatusCode::NOT_FOUND => "is not in the registry",
            _ => "may not be read",
        };
        Err(self.unavailable(what).help(help))
    }

    /// Returns the header that answers a challenge.
    async fn authorize(&self, headers: &HeaderMap) -> Result<HeaderValue, InstallError> {
        let challenges = headers.get_all(WWW_AUTHENTICATE).iter();
        let challenge = challenges
            .filter_map(|value| Challenge::parse(value.to_str().ok()?))
            .next();
        match (challenge, &self.login) {
            (None, _) => Err(self.unavailable("needs an authorization of an unknown kind")),
            (Some(Challenge::Basic), Some(login)) => Ok(login.clone()),
            (Some(Challenge::Basic), None) => {
                Err(self.unavailable("may not be read").help(self.login_help()))
            }
            (Some(Challenge::Bearer { realm, service }), _) => self.token(realm, service).await,
        }
    }

    /// Requests a token for reading, with the login if there is one.
    async fn token(
        &self,
        mut realm: Url,
        service: Option<String>,
    ) -> Result<HeaderValue, InstallError> {
        if realm.scheme() != "https" && !is_local(&realm) {
            return Err(InstallError::refused(format!(
                "the registry `{}` issues tokens without `https`",
                self.reference.registry
            )));
        }
        realm
            .query_pairs_mut()
            .extend_pairs(service.map(|service| ("service", service)))
            .append_pair("scope", &format!("repository:{}:pull", self.name));
        let mut request = HttpRequest::get(realm, TOKEN_BYTES);
        set_authorization(&mut request, self.login.clone());
        let answer = self.checked(self.client.send(request).await?)?;
        let document: Option<TokenDocument> = serde_json::from_slice(&answer.body).ok();
        let token = document.and_then(|document| document.token.or(document.access_token));
        let token = token.ok_or_else(|| self.unavailable("has an issuer that returns no token"))?;
        secret(&format!("Bearer {token}"))
    }

    fn unavailable(&self, what: &str) -> InstallError {
        InstallError::new(
            InstallErrorKind::Unavailable,
            format!("`{}` {what}", self.reference),
        )
    }

    fn login_help(&self) -> String {
        let host = &self.reference.registry;
        format!("run `docker login {host}`; programs that store credentials are not asked")
    }
}

impl Challenge {
    /// Parses a header such as `Bearer realm="https://auth.test/token",service="registry"`.
    fn parse(header: &str) -> Option<Challenge> {
        let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Challenge::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service, mut rest) = (None, None, rest);
        while let Some((name, after)) = rest.split_once('=') {
            let (value, next) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => after.split_once(',').unwrap_or((after, "")),
            };
            match name.trim().to_ascii_lowercase().as_str() {
                "realm" => realm = Some(Url::parse(value).ok()?),
                "service" => service = Some(value.to_owned()),
                _ => {}
            }
            rest = next.trim_start_matches([',', ' ']);
        }
        Some(Challenge::Bearer {
            realm: realm?,
            service,
        })
    }
}

fn is_local(url: &Url) -> bool {
    host_of(url).is_some_and(is_loopback)
}

/// Returns whether a host, without brackets and a port, is this machine.
fn is_loopback(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn without_port(registry: &str) -> &str {
    match registry.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => registry.split(':').next().unwrap_or(registry),
    }
}

fn set_authorization(request: &mut HttpRequest, value: Option<HeaderValue>) {
    if let Some(value) = value {
        request.headers.insert(AUTHORIZATION, value);
    }
}

/// Returns the value of a header that logs do not show.
fn secret(text: &str) -> Result<HeaderValue, InstallError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        InstallError::refused("a login or token has characters that no header may have")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn wrong_digest(reference: &OciReference) -> InstallError {
    InstallError::new(
        InstallErrorKind::Corrupt,
        format!("the registry returned different content for `{reference}`"),
    )
    .help("try again; if it stays, the registry or a proxy is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_parsed() {
        let realm = Url::parse("https://auth.test/token").expect("a URL");
        let service = Some("registry.test, one".to_owned());
        for (header, expected) in [
            ("Basic realm=\"x\"", Some(Challenge::Basic)),
            (
                "Bearer realm=\"https://auth.test/token\",service=\"registry.test, one\",scope=\"a:b:pull,push\"",
                Some(Challenge::Bearer {
                    realm: realm.clone(),
                    service,
                }),
            ),
            (
                "bearer scope=x, realm=https://auth.test/token",
                Some(Challenge::Bearer {
                    realm,
                    service: None,
                }),
            ),
            ("Bearer service=\"x\"", None),
            ("Bearer realm=\"https://auth.test", None),
            ("Negotiate", None),
        ] {
            assert_eq!(Challenge::parse(header), expected, "{header}");
        }
    }
}
