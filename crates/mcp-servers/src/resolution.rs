//! From a definition to an endpoint: values are resolved when a server is started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::redaction::Redaction;
use crate::{
    ServerEndpoint, ServerProgram, ServerUrl, ServerValue, SupervisedServer, SupervisorOptions,
};

/// The most bytes of a file with a secret.
const MOST_SECRET_BYTES: u64 = 64 << 10;

/// An endpoint with the secrets that its errors may not contain.
#[derive(Debug)]
pub(crate) struct ResolvedServer {
    pub(crate) endpoint: ServerEndpoint,
    pub(crate) redaction: Redaction,
    pub(crate) warnings: Vec<Arc<str>>,
}

/// Resolves the values of `server`. An error names the key and the reference, and never a value.
pub(crate) fn resolve(
    server: &SupervisedServer,
    options: &SupervisorOptions,
) -> Result<ResolvedServer, String> {
    if let Some(refusal) = &server.refusal {
        return Err(refusal.to_string());
    }
    let mut values = ValueResolution::new(options);
    let endpoint = match (&server.command, &server.url) {
        (Some(command), None) => {
            ServerEndpoint::Program(program(server, command, options, &mut values)?)
        }
        (None, Some(url)) => ServerEndpoint::Url(address(server, url, &mut values)?),
        _ => return Err("expected either a `command` or a `url`".to_owned()),
    };
    Ok(ResolvedServer {
        endpoint,
        redaction: Redaction::new(values.secrets),
        warnings: values.warnings,
    })
}

impl SupervisorOptions {
    /// Returns the environment of a program: the variables that every program inherits, then `own` with its references resolved.
    ///
    /// # Errors
    /// The reason, which names the key and the reference, and never a value.
    // For `repertoire-gateway` only, whose agents are programs too.
    #[doc(hidden)]
    pub fn environment(
        &self,
        own: &BTreeMap<String, ServerValue>,
    ) -> Result<Vec<(OsString, OsString)>, String> {
        ValueResolution::new(self).environment(own)
    }
}

fn program(
    server: &SupervisedServer,
    command: &Path,
    options: &SupervisorOptions,
    values: &mut ValueResolution<'_>,
) -> Result<ServerProgram, String> {
    // A name without a folder is searched in PATH.
    let mut program = ServerProgram::new(match command.components().count() {
        1 => command.to_owned(),
        _ => options.folder.join(command),
    });
    program.args.clone_from(&server.args);
    program.directory = Some(match &server.directory {
        Some(directory) => options.folder.join(directory),
        None => options.folder.clone(),
    });
    program.memory = server.memory_mib.map(|mib| mib.saturating_mul(1 << 20));
    program.supervisor = options.supervisor.to_vec();
    program.env = values.environment(&server.env)?;
    Ok(program)
}

fn address(
    server: &SupervisedServer,
    url: &str,
    values: &mut ValueResolution<'_>,
) -> Result<ServerUrl, String> {
    let url = Url::parse(url).map_err(|error| format!("`url` is not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("`url`: expected an address that begins with `https://`".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("`url`: expected an address without a password; use `headers`".to_owned());
    }
    let mut headers = HeaderMap::new();
    for (name, value) in values.all("headers", &server.headers)? {
        let header = HeaderName::from_bytes(name.as_bytes());
        let header = header.map_err(|_| format!("`{name}` is not the name of a header"))?;
        let value = HeaderValue::from_str(&value);
        let mut value = value.map_err(|_| format!("`headers.{name}` cannot be a header"))?;
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    if !values.secrets.is_empty() && url.scheme() == "http" && !ServerUrl::is_loopback(&url) {
        let message = "`url`: a secret is sent over `https://` only, or to this machine: on the way others could read it";
        return Err(message.to_owned());
    }
    let mut address = ServerUrl::new(url);
    address.headers = headers;
    Ok(address)
}

pub(crate) struct ValueResolution<'a> {
    options: &'a SupervisorOptions,
    secrets: Vec<String>,
    warnings: Vec<Arc<str>>,
}

impl<'a> ValueResolution<'a> {
    pub(crate) fn new(options: &'a SupervisorOptions) -> ValueResolution<'a> {
        ValueResolution {
            options,
            secrets: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns the variables that every program inherits, then its own.
    pub(crate) fn environment(
        &mut self,
        own: &BTreeMap<String, ServerValue>,
    ) -> Result<Vec<(OsString, OsString)>, String> {
        let mut environment = Vec::new();
        for name in ServerProgram::INHERITED {
            if let Some(value) = self.options.variable(name) {
                environment.push((name.into(), value.to_owned()));
            }
        }
        for (name, value) in self.all("env", own)? {
            environment.push((name.into(), value.into()));
        }
        Ok(environment)
    }

    fn all(
        &mut self,
        table: &str,
        values: &BTreeMap<String, ServerValue>,
    ) -> Result<Vec<(String, String)>, String> {
        let mut resolved = Vec::with_capacity(values.len());
        for (name, value) in values {
            let key = format!("{table}.{name}");
            let value = match value {
                ServerValue::Text(text) => self.text(&key, text)?,
                ServerValue::File(file) => self.file(&key, file)?,
            };
            resolved.push((name.clone(), value));
        }
        Ok(resolved)
    }

    fn text(&mut self, key: &str, text: &str) -> Result<String, String> {
        const SIGN: &str = "${env:";
        let (mut resolved, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once(SIGN) {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("`{key}`: `{SIGN}` without `}}`"));
            };
            let value = self.options.variable(name).ok_or_else(|| {
                format!("`{key}` refers to the variable `{name}`, which is not set")
            })?;
            let value = value
                .to_str()
                .ok_or_else(|| format!("`{key}`: the variable `{name}` is not UTF-8"))?;
            self.secrets.push(value.to_owned());
            resolved.push_str(before);
            resolved.push_str(value);
            rest = after;
        }
        resolved.push_str(rest);
        Ok(resolved)
    }

    fn file(&mut self, key: &str, file: &Path) -> Result<String, String> {
        let path = self.options.folder.join(file);
        let shown = file.display();
        let cannot = |error: std::io::Error| format!("`{key}`: `{shown}` cannot be read: {error}");
        let opened = File::open(&path).map_err(cannot)?;
        if is_readable_by_others(&opened) {
            let warning =
                format!("`{key}`: other users can read `{shown}`; its mode should be 0600");
            self.warnings.push(warning.into());
        }
        let mut text = String::new();
        let read = opened.take(MOST_SECRET_BYTES + 1).read_to_string(&mut text);
        read.map_err(cannot)?;
        if text.len() as u64 > MOST_SECRET_BYTES {
            return Err(format!(
                "`{key}`: `{shown}` has more than {MOST_SECRET_BYTES} bytes"
            ));
        }
        let end = text.trim_end_matches(['\r', '\n']).len();
        text.truncate(end);
        self.secrets.push(text.clone());
        Ok(text)
    }
}

#[cfg(unix)]
fn is_readable_by_others(file: &File) -> bool {
    use std::os::unix::fs::PermissionsExt;

    let metadata = file.metadata();
    metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_: &File) -> bool {
    false
}
