//! The parts of an address that concern certificates.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The authorities whose certificates are valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RootCertificates {
    System,
    File(String),
}

/// An address without `sslrootcert`, which is a parameter of libpq alone.
///
/// The modes `verify-ca` and `verify-full` become `require`, because every certificate is verified in full.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TlsAddress {
    pub(super) address: String,
    pub(super) roots: RootCertificates,
}

impl TlsAddress {
    pub(super) fn new(address: &str) -> Self {
        let mut roots = RootCertificates::System;
        let is_url = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| address.starts_with(scheme));
        let address = match address.split_once('?') {
            Some((server, parameters)) if is_url => {
                let pairs = parameters.split('&').map(|pair| (pair, decoded(pair)));
                let kept: Vec<_> = pairs.filter_map(|pair| keep(pair, &mut roots)).collect();
                match kept.is_empty() {
                    true => server.to_owned(),
                    false => format!("{server}?{}", kept.join("&")),
                }
            }
            _ if is_url => address.to_owned(),
            _ => {
                let pairs = pairs(address).into_iter();
                let pairs = pairs.map(|pair| (pair, unquoted(pair)));
                let kept: Vec<_> = pairs.filter_map(|pair| keep(pair, &mut roots)).collect();
                kept.join(" ")
            }
        };
        Self { address, roots }
    }
}

/// Returns the written form of a parameter, unless it names the authorities.
fn keep<'a>(
    (written, (key, value)): (&'a str, (&str, Cow<'_, str>)),
    roots: &mut RootCertificates,
) -> Option<&'a str> {
    match (key, &*value) {
        ("sslrootcert", "system") => *roots = RootCertificates::System,
        ("sslrootcert", path) => *roots = RootCertificates::File(path.to_owned()),
        ("sslmode", "verify-ca" | "verify-full") => return Some("sslmode=require"),
        _ => return Some(written),
    }
    None
}

fn decoded(pair: &str) -> (&str, Cow<'_, str>) {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    (key, percent_decode_str(value).decode_utf8_lossy())
}

/// Splits parameters that blanks separate; a value in quotes may contain blanks.
fn pairs(text: &str) -> Vec<&str> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while let Some(sign) = rest.find('=') {
        let behind = &rest[sign + 1..];
        let blanks = behind.len() - behind.trim_start().len();
        let value = &behind[blanks..];
        let end = sign + 1 + blanks + value_length(value);
        pairs.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    // The parser of addresses reports a key without value.
    pairs.extend((!rest.is_empty()).then_some(rest));
    pairs
}

fn value_length(text: &str) -> usize {
    let is_quoted = text.starts_with('\'');
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(usize::from(is_quoted)) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\'' if is_quoted => return at + 1,
            c if !is_quoted && c.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

fn unquoted(pair: &str) -> (&str, Cow<'_, str>) {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let value = value.trim_start();
    let inner = value
        .strip_prefix('\'')
        .map(|rest| rest.strip_suffix('\'').unwrap_or(rest));
    let inner = inner.unwrap_or(value);
    if !inner.contains('\\') {
        return (key.trim_end(), inner.into());
    }
    let mut plain = String::new();
    let mut signs = inner.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => plain.extend(signs.next()),
            sign => plain.push(sign),
        }
    }
    (key.trim_end(), plain.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_taken_out_of_an_address() {
        for (written, address, roots) in [
            ("", "", None),
            ("host=a user=b", "host=a user=b", None),
            (
                "host=a sslmode=verify-full sslrootcert=/etc/ca.pem user=b",
                "host=a sslmode=require user=b",
                Some("/etc/ca.pem"),
            ),
            (
                r"password='a b' sslrootcert = '/my ca\'s.pem' dbname=x\ y",
                r"password='a b' dbname=x\ y",
                Some("/my ca's.pem"),
            ),
            ("host=a sslrootcert=system", "host=a", None),
            ("host=a sslmode", "host=a sslmode", None),
            (
                "password='sslrootcert=/x'",
                "password='sslrootcert=/x'",
                None,
            ),
            ("postgres://u:p@h/db", "postgres://u:p@h/db", None),
            (
                "postgres://u@h/db?sslmode=verify-ca&sslrootcert=%2Fmy%20ca.pem&application_name=x",
                "postgres://u@h/db?sslmode=require&application_name=x",
                Some("/my ca.pem"),
            ),
            (
                "postgresql://h/db?sslrootcert=ca.pem",
                "postgresql://h/db",
                Some("ca.pem"),
            ),
        ] {
            let expected = TlsAddress {
                address: address.to_owned(),
                roots: roots.map_or(RootCertificates::System, |path| {
                    RootCertificates::File(path.to_owned())
                }),
            };
            assert_eq!(TlsAddress::new(written), expected, "{written}");
        }
    }
}
