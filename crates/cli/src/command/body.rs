//! `repertoire body`.

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use repertoire::{Digest, Id};
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::session::Session;
use crate::shown::shown_lines;

/// Print the instructions of one skill.
#[derive(Debug, Args)]
pub(crate) struct Body {
    /// The skill: `NAME`, or `SOURCE:NAME` whoever wins.
    name: String,
}

/// The instructions of one skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Text {
    id: Id,
    qualified_id: Id,
    digest: Digest,
    body: Arc<str>,
}

impl Body {
    pub(crate) async fn answer(&self, session: &Session<'_>) -> Result<impl Answer + use<>, Failure> {
        let found = session.find(&self.name)?;
        let body = session.registry.body(found.claim).await.map_err(|error| Failure::of(&error))?;
        let (id, qualified_id) = (found.entry.id.clone(), found.claim.qualified_id());
        Ok(Text { id, qualified_id, digest: body.digest, body: body.text })
    }
}

impl Answer for Text {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        write_text(&self.body, out)
    }
}

/// Writes text as it is, but to a terminal nothing that it would obey.
pub(super) fn write_text(text: &str, out: &mut Stream<'_>) -> io::Result<()> {
    if out.is_terminal() { out.write_all(shown_lines(text).as_bytes()) } else { out.write_all(text.as_bytes()) }
}
