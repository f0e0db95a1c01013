//! Access tokens of an authorization server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::routing::get;
use axum::{Json, Router};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use parking_lot::Mutex;
use repertoire_gateway::{NamedToken, TokenScope};
use repertoire_mcp::HttpOptions;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::http_client::{Client, with_options};
use crate::project::{FILE, Project};

const RESOURCE: &str = "https://skills.example/mcp";

/// An issuer on this machine, whose keys a test changes.
struct Issuer {
    address: String,
    keys: Arc<Mutex<Vec<Value>>>,
    /// The number of requests for the keys.
    requests: Arc<AtomicUsize>,
}

impl Issuer {
    async fn start(keys: &[&SigningKey]) -> Issuer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = Issuer {
            address: format!("http://{}", listener.local_addr().unwrap()),
            keys: Arc::default(),
            requests: Arc::default(),
        };
        issuer.publish(keys);
        let (keys, requests) = (Arc::clone(&issuer.keys), Arc::clone(&issuer.requests));
        let answer = async move || {
            requests.fetch_add(1, Ordering::SeqCst);
            Json(json!({ "keys": *keys.lock() }))
        };
        let routes = Router::new().route("/keys", get(answer));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        issuer
    }

    fn publish(&self, keys: &[&SigningKey]) {
        *self.keys.lock() = keys.iter().map(|key| key.public.clone()).collect();
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Returns a project whose gateway accepts tokens of this issuer.
    fn project(&self) -> Project {
        let address = &self.address;
        Project::new(&format!(
            "{FILE}\n[gateway.oauth]\nresource = \"{RESOURCE}\"\nissuer = \"{address}\"\njwks-uri = \"{address}/keys\"\n"
        ))
    }

    /// Returns the claims of a valid token with a scope.
    fn claims(&self, scope: &str) -> Value {
        json!({
            "iss": self.address, "aud": RESOURCE, "sub": "ann", "scope": scope,
            "exp": now() + 600, "nbf": now() - 1,
        })
    }
}

/// A key of an issuer.
struct SigningKey {
    algorithm: Algorithm,
    id: String,
    secret: EncodingKey,
    /// The public part as a JSON Web Key.
    public: Value,
}

impl SigningKey {
    fn new(id: &str, algorithm: Algorithm) -> SigningKey {
        let (kind, of_der): (_, fn(&[u8]) -> EncodingKey) = match algorithm {
            Algorithm::ES256 => (&rcgen::PKCS_ECDSA_P256_SHA256, EncodingKey::from_ec_der),
            Algorithm::ES384 => (&rcgen::PKCS_ECDSA_P384_SHA384, EncodingKey::from_ec_der),
            Algorithm::EdDSA => (&rcgen::PKCS_ED25519, EncodingKey::from_ed_der),
            // The key itself follows a head of PKCS #8, which has this length for 2048 bits.
            _ => (&rcgen::PKCS_RSA_SHA256, |der| {
                EncodingKey::from_rsa_der(&der[26..])
            }),
        };
        let pair = rcgen::KeyPair::generate_for(kind).unwrap();
        let secret = of_der(&pair.serialize_der());
        let mut public = match algorithm {
            // `Jwk` reads only keys of PKCS #8 without their public part.
            Algorithm::EdDSA => {
                let x = part(pair.public_key_raw());
                json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "x": x })
            }
            _ => json!(Jwk::from_encoding_key(&secret, algorithm).unwrap()),
        };
        public["kid"] = json!(id);
        SigningKey {
            algorithm,
            id: id.to_owned(),
            secret,
            public,
        }
    }

    fn header(&self) -> Header {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.clone());
        header
    }

    fn sign(&self, claims: &Value) -> String {
        encode(&self.header(), claims, &self.secret).unwrap()
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap().as_secs()
}

/// Returns the statuses of a request that reads, and of one for MCP.
async fn statuses(client: &Client, token: &str) -> [u16; 2] {
    let client = client.with_token(token);
    let read = client.get("/api/v1/skills").await.status;
    [read, client.request("POST", "/mcp", "").await.status]
}

/// Returns the bytes as a part of a token: in base64 for URLs.
fn part(bytes: impl AsRef<[u8]>) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut encoded = String::new();
    for chunk in bytes.as_ref().chunks(3) {
        let mut bits = [0; 4];
        bits[1..=chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes(bits);
        for at in 0..=chunk.len() {
            let digit = (bits >> (18 - 6 * at)) & 63;
            encoded.push(char::from(digits[digit as usize]));
        }
    }
    encoded
}

#[tokio::test]
async fn a_token_of_the_issuer_allows_its_scope() {
    let keys = [
        Algorithm::RS256,
        Algorithm::PS256,
        Algorithm::ES256,
        Algorithm::ES384,
        Algorithm::EdDSA,
    ]
    .map(|algorithm| SigningKey::new(&format!("{algorithm:?}"), algorithm));
    let issuer = Issuer::start(&keys.each_ref()).await;
    let project = issuer.project();
    let (gateway, _registries) = project.start().await;
    with_options(&gateway, HttpOptions::default(), async |client| {
        for key in &keys {
            let sign = |scope: &str| key.sign(&issuer.claims(scope));
            let found = [
                statuses(&client, &sign("openid read")).await,
                statuses(&client, &sign("read operate")).await,
                statuses(&client, &sign("reader operate:all")).await,
            ];
            // A request for MCP without a body is answered with 415.
            assert_eq!(found, [[200, 403], [200, 415], [403, 403]], "{}", key.id);
        }
        let [key, ..] = &keys;
        let mut claims = issuer.claims("");
        claims["scp"] = json!(["read"]);
        claims["aud"] = json!(["https://other.example", RESOURCE]);
        // Clocks differ a little.
        claims["exp"] = json!(now() - 5);
        claims["nbf"] = json!(now() + 5);
        assert_eq!(statuses(&client, &key.sign(&claims)).await, [200, 403]);
    })
    .await;
    assert_eq!(issuer.requests(), 1);
}

#[tokio::test]
async fn no_wrong_token_of_an_issuer_passes() {
    let (key, other) = (
        SigningKey::new("a", Algorithm::RS256),
        SigningKey::new("a", Algorithm::RS256),
    );
    let second = SigningKey::new("b", Algorithm::ES256);
    let (third, other_third) = (
        SigningKey::new("c", Algorithm::EdDSA),
        SigningKey::new("c", Algorithm::EdDSA),
    );
    let issuer = Issuer::start(&[&key, &second, &third]).await;
    let project = issuer.project();
    let (gateway, _registries) = project.start().await;
    let good = issuer.claims("operate");
    let with = |claim: &str, value: Value| {
        let mut claims = good.clone();
        claims[claim] = value;
        key.sign(&claims)
    };
    let header = |change: fn(&mut Header)| {
        let mut header = key.header();
        change(&mut header);
        encode(&header, &good, &key.secret).unwrap()
    };
    let mut hs256 = Header::new(Algorithm::HS256);
    hs256.kid = Some("a".to_owned());
    let with_secret =
        |secret: &[u8]| encode(&hs256, &good, &EncodingKey::from_secret(secret).unwrap()).unwrap();
    let modulus = key.public["n"].as_str().unwrap();
    let whole = key.sign(&good);
    let (signed, signature) = whole.rsplit_once('.').unwrap();
    let (_, claims) = signed.split_once('.').unwrap();
    let wrong = [
        (
            "another audience",
            with("aud", json!("https://skills.example")),
        ),
        (
            "other audiences",
            with("aud", json!(["https://skills.example/mcp/"])),
        ),
        ("no audience", with("aud", Value::Null)),
        (
            "another issuer",
            with("iss", json!("https://login.example")),
        ),
        ("no issuer", with("iss", Value::Null)),
        ("expired", with("exp", json!(now() - 60))),
        ("no end", with("exp", Value::Null)),
        (
            "an end as text",
            with("exp", json!((now() + 600).to_string())),
        ),
        ("not yet valid", with("nbf", json!(now() + 60))),
        (
            "alg none",
            format!("{}.{claims}.", part(r#"{"alg":"none","kid":"a"}"#)),
        ),
        (
            "alg None",
            format!(
                "{}.{claims}.{signature}",
                part(r#"{"alg":"None","kid":"a"}"#)
            ),
        ),
        (
            "HS256 with the public key",
            with_secret(key.public.to_string().as_bytes()),
        ),
        ("HS256 with the modulus", with_secret(modulus.as_bytes())),
        (
            "an unknown key",
            header(|header| header.kid = Some("d".to_owned())),
        ),
        (
            "the key of another",
            header(|header| header.kid = Some("b".to_owned())),
        ),
        ("no key", header(|header| header.kid = None)),
        (
            "another algorithm of the key",
            header(|header| header.alg = Algorithm::PS256),
        ),
        (
            "an unknown critical header",
            header(|header| header.crit = Some(vec!["x".to_owned()])),
        ),
        ("a key of the same name", other.sign(&good)),
        ("an EdDSA key of the same name", other_third.sign(&good)),
        ("EdDSA with the key of another", {
            let mut header = third.header();
            header.kid = Some("b".to_owned());
            encode(&header, &good, &third.secret).unwrap()
        }),
        ("no signature", format!("{signed}.")),
        ("half a signature", format!("{signed}.{}", &signature[..40])),
        ("two parts", signed.to_owned()),
        ("four parts", format!("{whole}.{signature}")),
        ("other claims", {
            let head = signed.split_once('.').unwrap().0;
            let claims = issuer.claims("operate read").to_string();
            format!("{head}.{}.{signature}", part(claims))
        }),
        ("dots", "..".to_owned()),
    ];
    with_options(&gateway, HttpOptions::default(), async |client| {
        assert_eq!(statuses(&client, &whole).await, [200, 415]);
        assert_eq!(statuses(&client, &second.sign(&good)).await, [200, 415]);
        assert_eq!(statuses(&client, &third.sign(&good)).await, [200, 415]);
        for (name, token) in &wrong {
            let answer = client.with_token(token).get("/api/v1/skills").await;
            assert_eq!(answer.status, 401, "{name}");
            let challenge = answer.header("www-authenticate").unwrap();
            assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
        }
        assert_eq!(statuses(&client, &whole).await, [200, 415]);
    })
    .await;
}

#[tokio::test]
async fn rotated_keys_are_fetched_again() {
    let (old, new) = (
        SigningKey::new("old", Algorithm::ES256),
        SigningKey::new("new", Algorithm::ES256),
    );
    let issuer = Issuer::start(&[&old]).await;
    let project = issuer.project();
    let (gateway, _registries) = project.start().await;
    let claims = issuer.claims("operate");
    with_options(&gateway, HttpOptions::default(), async |client| {
        assert_eq!(statuses(&client, &old.sign(&claims)).await, [200, 415]);
        issuer.publish(&[&new]);
        assert_eq!(statuses(&client, &new.sign(&claims)).await, [200, 415]);
        assert_eq!(statuses(&client, &old.sign(&claims)).await, [401, 401]);
        assert_eq!(issuer.requests(), 2);
    })
    .await;
}

#[tokio::test]
async fn unknown_keys_are_searched_rarely() {
    let key = SigningKey::new("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&key]).await;
    let project = issuer.project();
    let (gateway, _registries) = project.start().await;
    let begun = Instant::now();
    with_options(&gateway, HttpOptions::default(), async |client| {
        for number in 0..200 {
            let mut header = key.header();
            header.kid = Some(number.to_string());
            let token = encode(&header, &issuer.claims("operate"), &key.secret).unwrap();
            let status = client.with_token(&token).get("/api/v1/skills").await.status;
            // Wrong tokens are limited, too.
            assert_eq!(status, if number < 60 { 401 } else { 429 });
        }
        let token = key.sign(&issuer.claims("operate"));
        assert_eq!(statuses(&client, &token).await, [200, 415]);
    })
    .await;
    let pauses = begun.elapsed().as_secs() / 10;
    let most = 2 + usize::try_from(pauses).unwrap();
    assert!(issuer.requests() <= most, "{} of {most}", issuer.requests());
}

#[tokio::test]
async fn clients_find_the_issuer() {
    let issuer = Issuer::start(&[]).await;
    let project = issuer.project();
    let (gateway, _registries) = project.start().await;
    let tokens = gateway.tokens().clone();
    with_options(&gateway, HttpOptions::default(), async |client| {
        let path = "/.well-known/oauth-protected-resource";
        let expected = json!({
            "resource": RESOURCE,
            "authorization_servers": [issuer.address],
            "scopes_supported": ["read", "operate"],
            "bearer_methods_supported": ["header"],
            "resource_name": "repertoire",
        });
        for path in [path.to_owned(), format!("{path}/mcp")] {
            let answer = client.get(&path).await;
            assert_eq!((answer.status, answer.json()), (200, expected.clone()));
        }
        assert_eq!(client.get(&format!("{path}/other")).await.status, 404);
        let metadata =
            "resource_metadata=\"https://skills.example/.well-known/oauth-protected-resource/mcp\"";
        // This machine needs a token, too.
        for (path, scope) in [("/mcp", "operate"), ("/api/v1/skills", "read")] {
            let method = if path == "/mcp" { "POST" } else { "GET" };
            let answer = client.request(method, path, "").await;
            let challenge = format!("Bearer scope=\"{scope}\", {metadata}");
            let found = (answer.status, answer.header("www-authenticate"));
            assert_eq!(found, (401, Some(challenge.as_str())));
        }
        let token = tokens
            .issue(NamedToken::new("one", TokenScope::Read))
            .unwrap();
        let client = client.with_token(&token);
        assert_eq!(client.get("/api/v1/skills").await.status, 200);
        let answer = client.request("POST", "/mcp", "").await;
        let challenge =
            format!("Bearer error=\"insufficient_scope\", scope=\"operate\", {metadata}");
        let found = (answer.status, answer.header("www-authenticate"));
        assert_eq!(found, (403, Some(challenge.as_str())));
    })
    .await;
    assert_eq!(issuer.requests(), 0);
}
