//! The number of wrong tokens that each address sent.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// The most wrong tokens of an address in the time of [`WINDOW`].
const MOST: u32 = 60;

const WINDOW: Duration = Duration::from_secs(60);

/// The most addresses that are counted at once.
const ADDRESSES: usize = 10_000;

#[derive(Default)]
pub(super) struct WrongTokens(Mutex<HashMap<IpAddr, Attempts>>);

struct Attempts {
    count: u32,
    since: Instant,
}

impl Attempts {
    fn is_over(&self) -> bool {
        self.since.elapsed() >= WINDOW
    }
}

impl WrongTokens {
    pub(super) fn is_limited(&self, address: IpAddr) -> bool {
        let counted = self.0.lock();
        let attempts = counted.get(&address);
        attempts.is_some_and(|attempts| attempts.count >= MOST && !attempts.is_over())
    }

    pub(super) fn add(&self, address: IpAddr) {
        let mut counted = self.0.lock();
        if counted.len() >= ADDRESSES {
            counted.retain(|_, attempts| !attempts.is_over());
            if counted.len() >= ADDRESSES {
                counted.clear();
            }
        }
        let new = || Attempts {
            count: 0,
            since: Instant::now(),
        };
        let attempts = counted.entry(address).or_insert_with(new);
        if attempts.is_over() {
            *attempts = new();
        }
        attempts.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_address_is_limited_for_a_minute() {
        let (one, two) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let tokens = WrongTokens::default();
        for _ in 0..MOST {
            assert!(!tokens.is_limited(one));
            tokens.add(one);
        }
        assert_eq!(
            (tokens.is_limited(one), tokens.is_limited(two)),
            (true, false)
        );
        tokio::time::advance(WINDOW).await;
        assert!(!tokens.is_limited(one));
    }

    #[test]
    fn a_flood_of_addresses_takes_little_memory() {
        let tokens = WrongTokens::default();
        for number in 0..3 * ADDRESSES as u32 {
            tokens.add(IpAddr::from(number.to_be_bytes()));
        }
        assert!(tokens.0.lock().len() <= ADDRESSES);
    }
}
