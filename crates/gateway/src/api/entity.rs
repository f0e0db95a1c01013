//! Responses with an entity tag.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use repertoire::skill::Digest;
use serde::Serialize;

/// A representation with its type. It is sent unless the client has it.
#[derive(Clone)]
pub(super) struct Entity {
    bytes: Bytes,
    kind: &'static str,
}

impl Entity {
    pub(super) fn json(value: &impl Serialize) -> Entity {
        let bytes = serde_json::to_vec(value).expect("it has text keys");
        Entity {
            bytes: bytes.into(),
            kind: "application/json",
        }
    }

    /// Creates the entity of an untrusted file, which a browser must not show as a page of this server.
    pub(super) fn file(bytes: Bytes) -> Entity {
        Entity {
            bytes,
            kind: "application/octet-stream",
        }
    }

    pub(super) fn markdown(text: &str) -> Entity {
        Entity {
            bytes: Bytes::copy_from_slice(text.as_bytes()),
            kind: "text/markdown; charset=utf-8",
        }
    }

    /// Returns the response to a request with these headers: the entity, or 304 if `If-None-Match` has its tag.
    pub(super) fn respond(self, request: &HeaderMap) -> Response {
        let digest = Digest::of(&self.bytes).to_string();
        let tag = format!("\"{}\"", &digest["sha256:".len()..][..32]);
        let is_known = is_known(request, &tag);
        let mut response = Response::new(match is_known {
            true => Body::empty(),
            false => Body::from(self.bytes),
        });
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        if !is_known {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
            let nosniff = HeaderValue::from_static("nosniff");
            headers.insert(X_CONTENT_TYPE_OPTIONS, nosniff);
        }
        let tag = HeaderValue::try_from(tag).expect("digits are allowed");
        headers.insert(ETAG, tag);
        // The client asks each time if it is still current.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }
}

fn is_known(request: &HeaderMap, tag: &str) -> bool {
    let given = request.get_all(IF_NONE_MATCH).iter();
    let given = given.filter_map(|header| header.to_str().ok());
    let mut tags = given.flat_map(|header| header.split(',')).map(str::trim);
    // The weak comparison, as RFC 9110 demands here.
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}
