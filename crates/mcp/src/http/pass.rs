//! Answers, as long as they are being given.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};

/// A body that keeps something until it was sent, or nobody wants it any more.
pub(super) struct Counted<T> {
    body: Body,
    _kept: T,
}

impl<T> Counted<T> {
    pub(super) fn new(body: Body, kept: T) -> Counted<T> {
        Counted { body, _kept: kept }
    }
}

impl<T: Unpin> HttpBody for Counted<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}
