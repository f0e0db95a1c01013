//! The settings for access tokens of an authorization server: the table `[gateway.oauth]`.

use std::net::IpAddr;

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The settings for access tokens of an authorization server: the table `[gateway.oauth]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "GatewayOAuth",
        transform = crate::schema::spelled(&[("jwks-uri", "jwksUri")])
    )
)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
#[doc(hidden)]
pub struct OAuthSettings {
    /// The address of the MCP server for clients, such as `https://skills.example/mcp`. Tokens need it as their audience.
    #[serde(deserialize_with = "address")]
    pub resource: String,
    /// The issuer of the tokens, exactly as their `iss` has it.
    #[serde(deserialize_with = "address")]
    pub issuer: String,
    /// The address of the issuer's public keys, a JSON Web Key Set.
    #[serde(alias = "jwksUri", deserialize_with = "address")]
    pub jwks_uri: String,
}

/// Reads an address that begins with `https://`, or with `http://` and a name of this machine.
fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let host = text.strip_prefix("https://").or_else(|| {
        let rest = text.strip_prefix("http://");
        rest.filter(|rest| is_loopback(authority(rest)))
    });
    match host.map(authority) {
        Some(host) if !host.is_empty() && text.bytes().all(is_plain) => Ok(text),
        _ => Err(Error::custom(
            "expected an address that begins with `https://`, without a user, a query or a fragment",
        )),
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#?@\\{}".contains(&byte)
}

fn authority(rest: &str) -> &str {
    rest.split('/').next().unwrap_or_default()
}

/// Returns whether a host, which may have a port, is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
