//! The public keys of an issuer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use parking_lot::Mutex;
use reqwest::header::ACCEPT;
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

/// The age at which keys are fetched again.
const REFRESH: Duration = Duration::from_secs(300);

/// The age at which keys are not used any more, because no later fetch went well.
const EXPIRY: Duration = Duration::from_secs(3600);

/// The pause after a fetch that failed, and after one for an unknown key. Anyone can send tokens with unknown keys.
const PAUSE: Duration = Duration::from_secs(10);

/// The time limit of a fetch.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of a set of keys.
const MOST_BYTES: usize = 1 << 20;

/// The public keys of an issuer by their ids, fetched when they are needed.
///
/// They are fetched again when they are old, and for a token with an unknown key.
pub(super) struct KeyCache {
    client: reqwest::Client,
    address: String,
    state: Mutex<KeyState>,
    /// Locked during a fetch, so that requests share one.
    fetching: tokio::sync::Mutex<()>,
}

/// A public key.
pub(super) struct IssuerKey {
    /// The only algorithm that it may be used with, if the issuer names one.
    pub(super) algorithm: Option<Algorithm>,
    pub(super) key: DecodingKey,
}

#[derive(Default)]
struct KeyState {
    keys: HashMap<String, Arc<IssuerKey>>,
    fetched: Option<Instant>,
    paused_until: Option<Instant>,
}

/// The next step of a search for a key.
enum NextStep {
    /// It is used.
    Use(Arc<IssuerKey>),
    /// It is used, and the keys are fetched beside the request.
    UseAndFetch(Arc<IssuerKey>),
    /// The keys are fetched first.
    Fetch,
    /// There is no such key now.
    Refuse,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("the issuer answers with the status {0}")]
    Status(reqwest::StatusCode),
    #[error("the keys have more than {MOST_BYTES} bytes")]
    TooLong,
    #[error("the answer is not a set of keys: {0}")]
    Json(#[from] serde_json::Error),
}

impl KeyCache {
    /// Creates a cache of the keys at `address`. Nothing is fetched yet.
    pub(super) fn new(address: &str) -> Result<KeyCache, reqwest::Error> {
        let mut builder = reqwest::Client::builder()
            // Only the configuration decides which keys are trusted.
            .redirect(Policy::none())
            .referer(false)
            .timeout(FETCH_TIMEOUT);
        if address.starts_with("http://") {
            // It is on this machine.
            builder = builder.no_proxy();
        }
        Ok(KeyCache {
            client: builder.build()?,
            address: address.to_owned(),
            state: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the key with an id, if the issuer has it.
    ///
    /// # Cancel safety
    /// May be dropped at any point. A fetch that was dropped counts as one that failed.
    pub(super) async fn find(self: &Arc<KeyCache>, id: &str) -> Option<Arc<IssuerKey>> {
        match self.next_step(id) {
            NextStep::Use(key) => return Some(key),
            NextStep::UseAndFetch(key) => {
                let cache = Arc::clone(self);
                tokio::spawn(async move {
                    if let Ok(_turn) = cache.fetching.try_lock() {
                        cache.refresh(Fetching::Old).await;
                    }
                });
                return Some(key);
            }
            NextStep::Fetch => {}
            NextStep::Refuse => return None,
        }
        let _turn = self.fetching.lock().await;
        // A request before this one may have fetched them.
        match self.next_step(id) {
            NextStep::Use(key) | NextStep::UseAndFetch(key) => return Some(key),
            NextStep::Fetch => {}
            NextStep::Refuse => return None,
        }
        let is_fresh = self.state.lock().is_fresh(Instant::now());
        self.refresh(match is_fresh {
            true => Fetching::Unknown,
            false => Fetching::Old,
        })
        .await;
        match self.next_step(id) {
            NextStep::Use(key) | NextStep::UseAndFetch(key) => Some(key),
            NextStep::Fetch | NextStep::Refuse => None,
        }
    }

    fn next_step(&self, id: &str) -> NextStep {
        self.state.lock().next_step(id, Instant::now())
    }

    async fn refresh(&self, reason: Fetching) {
        self.state.lock().begin(Instant::now());
        match self.fetch().await {
            Ok(keys) => self.state.lock().replace(keys, reason, Instant::now()),
            Err(error) => {
                let address = &self.address;
                tracing::warn!(address, %error, "the keys of the issuer cannot be fetched");
            }
        }
    }

    async fn fetch(&self) -> Result<HashMap<String, Arc<IssuerKey>>, FetchError> {
        let request = self
            .client
            .get(&self.address)
            .header(ACCEPT, "application/json");
        let mut response = request.send().await?;
        if !response.status().is_success() {
            return Err(FetchError::Status(response.status()));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(FetchError::TooLong);
            }
            bytes.extend_from_slice(&chunk);
        }
        let set: KeySet = serde_json::from_slice(&bytes)?;
        Ok(set.keys.into_iter().filter_map(signing_key).collect())
    }
}

/// The reason for a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fetching {
    /// The keys are old, or there are none yet.
    Old,
    /// A token has an unknown key.
    Unknown,
}

impl KeyState {
    fn next_step(&self, id: &str, now: Instant) -> NextStep {
        let is_valid = self.is_younger(EXPIRY, now);
        let known = self.keys.get(id).filter(|_| is_valid).cloned();
        let may_fetch = self.paused_until.is_none_or(|end| end <= now);
        match known {
            Some(key) if self.is_fresh(now) || !may_fetch => NextStep::Use(key),
            Some(key) => NextStep::UseAndFetch(key),
            None if may_fetch => NextStep::Fetch,
            None => NextStep::Refuse,
        }
    }

    fn is_fresh(&self, now: Instant) -> bool {
        self.is_younger(REFRESH, now)
    }

    fn is_younger(&self, age: Duration, now: Instant) -> bool {
        self.fetched.is_some_and(|fetched| now - fetched < age)
    }

    /// Notes the begin of a fetch, which counts as failed until it has ended.
    fn begin(&mut self, now: Instant) {
        self.paused_until = Some(now + PAUSE);
    }

    fn replace(&mut self, keys: HashMap<String, Arc<IssuerKey>>, reason: Fetching, now: Instant) {
        self.keys = keys;
        self.fetched = Some(now);
        if reason == Fetching::Old {
            self.paused_until = None;
        }
    }
}

/// Returns a key of a set, unless it is secret, not for signatures, or of an unknown kind.
fn signing_key(key: Value) -> Option<(String, Arc<IssuerKey>)> {
    let key: Jwk = serde_json::from_value(key).ok()?;
    let common = &key.common;
    let is_for_signatures = common
        .public_key_use
        .as_ref()
        .is_none_or(|purpose| *purpose == PublicKeyUse::Signature);
    let is_verifying = common
        .key_operations
        .as_ref()
        .is_none_or(|operations| operations.contains(&KeyOperations::Verify));
    let is_secret = matches!(key.algorithm, AlgorithmParameters::OctetKey(_));
    if !is_for_signatures || !is_verifying || is_secret {
        return None;
    }
    let algorithm = match common.key_algorithm {
        Some(named) => Some(Algorithm::try_from(named).ok()?),
        None => None,
    };
    let id = common.key_id.clone()?;
    let key = DecodingKey::from_jwk(&key).ok()?;
    Some((id, Arc::new(IssuerKey { algorithm, key })))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(ids: &[&str]) -> HashMap<String, Arc<IssuerKey>> {
        let key = |id: &&str| {
            let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
            signing_key(json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "x": x}))
        };
        ids.iter().filter_map(key).collect()
    }

    /// Returns the next step in a word.
    fn step(state: &KeyState, id: &str, now: Instant) -> &'static str {
        match state.next_step(id, now) {
            NextStep::Use(_) => "use",
            NextStep::UseAndFetch(_) => "use and fetch",
            NextStep::Fetch => "fetch",
            NextStep::Refuse => "refuse",
        }
    }

    #[test]
    fn keys_are_refreshed_and_expire() {
        let (mut state, begun) = (KeyState::default(), Instant::now());
        assert_eq!(step(&state, "a", begun), "fetch");
        state.begin(begun);
        assert_eq!(step(&state, "a", begun), "refuse");
        state.replace(keys(&["a"]), Fetching::Old, begun);
        let steps = [
            REFRESH - Duration::from_millis(1),
            REFRESH,
            EXPIRY - Duration::from_millis(1),
            EXPIRY,
        ]
        .map(|age| step(&state, "a", begun + age));
        assert_eq!(steps, ["use", "use and fetch", "use and fetch", "fetch"]);
        // The issuer does not answer.
        state.begin(begun + REFRESH);
        assert_eq!(step(&state, "a", begun + REFRESH), "use");
        state.begin(begun + EXPIRY);
        assert_eq!(step(&state, "a", begun + EXPIRY), "refuse");
        assert_eq!(step(&state, "a", begun + EXPIRY + PAUSE), "fetch");
    }

    #[test]
    fn unknown_keys_are_searched_rarely() {
        let (mut state, begun) = (KeyState::default(), Instant::now());
        state.begin(begun);
        state.replace(keys(&["a"]), Fetching::Old, begun);
        assert_eq!(step(&state, "b", begun), "fetch");
        state.begin(begun);
        state.replace(keys(&["b"]), Fetching::Unknown, begun);
        let steps = ["a", "b", "c"].map(|id| step(&state, id, begun));
        assert_eq!(steps, ["refuse", "use", "refuse"]);
        assert_eq!(step(&state, "c", begun + PAUSE), "fetch");
    }

    #[test]
    fn only_public_keys_for_signatures_are_used() {
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        let whole = json!({"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": x, "use": "sig", "alg": "EdDSA", "key_ops": ["verify"]});
        let with = |key: &str, value: Value| {
            let mut changed = whole.clone();
            changed[key] = value;
            changed
        };
        let (id, key) = signing_key(whole.clone()).unwrap();
        assert_eq!((id.as_str(), key.algorithm), ("a", Some(Algorithm::EdDSA)));
        for key in [
            with("use", json!("enc")),
            with("key_ops", json!(["encrypt"])),
            with("alg", json!("RSA-OAEP")),
            with("alg", json!("ES256K")),
            with("kid", Value::Null),
            with("crv", json!("X25519")),
            json!({"kty": "oct", "kid": "a", "k": "c2VjcmV0"}),
            json!({"kty": "new", "kid": "a"}),
            json!(1),
        ] {
            assert!(signing_key(key.clone()).is_none(), "{key}");
        }
    }
}
