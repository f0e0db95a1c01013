//! Addresses of the public internet.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// A resolver that returns private addresses only for hosts that are listed.
///
/// The connection is made to the addresses that it returns, so a name cannot change between the check and the use.
#[derive(Debug)]
pub(super) struct PublicResolver {
    pub(super) reachable: BTreeSet<String>,
}

/// The error returned when every address of a host is private.
#[derive(Debug)]
pub(super) struct PrivateAddress {
    pub(super) host: String,
}

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_ascii_lowercase();
        let is_reachable = self.reachable.contains(&host);
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            let is_any = !found.is_empty();
            let usable = found.into_iter();
            let usable: Vec<_> = usable
                .filter(|address| is_reachable || is_public(address.ip()))
                .collect();
            match usable.is_empty() && is_any {
                true => Err(PrivateAddress { host }.into()),
                false => Ok(Box::new(usable.into_iter()) as Addrs),
            }
        })
    }
}

impl fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` has a private address", self.host)
    }
}

impl Error for PrivateAddress {}

/// Returns whether an address is of the public internet, as the registries of IANA for special addresses state.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    match segments {
        // Mapped, and translated by NAT64.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_embedded(high, low)
        }
        // 6to4.
        [0x2002, high, low, ..] => is_public_embedded(high, low),
        // Teredo and other protocols, and documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] => false,
        // All other public addresses are global unicast.
        [first, ..] => (0x2000..=0x3ffe).contains(&first),
    }
}

/// Returns whether the IPv4 address in two segments is public.
fn is_public_embedded(high: u16, low: u16) -> bool {
    let [[a, b], [c, d]] = [high, low].map(u16::to_be_bytes);
    is_public_v4(Ipv4Addr::new(a, b, c, d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            let address = text.parse().expect("an address");
            assert!(!is_public(address), "{text}");
        }
    }

    #[test]
    fn addresses_of_public_hosts_are_public() {
        for text in [
            "1.1.1.1",
            "100.63.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "140.82.121.4",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            let address = text.parse().expect("an address");
            assert!(is_public(address), "{text}");
        }
    }
}
