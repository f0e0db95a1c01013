//! The three ways in which servers list skills.

mod index;
mod resources;

use std::fmt;

use repertoire_core::{Code, Diagnostic, SourceError, SourceErrorKind};
use repertoire_mcp_servers::ListPages;
use rmcp::model::{
    ClientRequest, GetSkillRequest, GetSkillRequestParams, ListSkillsRequest, ServerResult,
};
use serde_json::Value;

use crate::McpOptions;
use crate::connection::ServerConnection;
use crate::error::{excerpt, too_large};
use crate::front_matter::diagnostic;
use crate::listed_skill::ListedSkill;

/// A way to list skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ListingMethod {
    /// The skills extension of MCP (SEP-2640): `skills/list`, `skills/get`.
    Extension,
    /// The resource `skill://index.json` of the extension's drafts.
    Index,
    /// Plain resources `skill://NAME/SKILL.md`, each with `skill://NAME/_manifest`, as FastMCP serves them.
    Resources,
}

impl fmt::Display for ListingMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ListingMethod::Extension => "skills extension",
            ListingMethod::Index => "index resource",
            ListingMethod::Resources => "plain resources",
        })
    }
}

const TRIES: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct ServerCatalog {
    pub(crate) entries: Vec<ListedSkill>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl ListingMethod {
    pub(crate) async fn of(
        connection: &ServerConnection,
        options: &McpOptions,
    ) -> Result<ListingMethod, SourceError> {
        let info = connection.info();
        let capabilities = info.as_ref().map(|info| &info.capabilities);
        if capabilities.is_some_and(|capabilities| capabilities.supports_skills()) {
            return Ok(ListingMethod::Extension);
        }
        if capabilities.is_none_or(|capabilities| capabilities.resources.is_none()) {
            let message = "the server declares neither the skills extension nor resources";
            return Err(SourceError::new(SourceErrorKind::Unsupported, message));
        }
        Ok(if index::is_there(connection, options).await? {
            ListingMethod::Index
        } else {
            ListingMethod::Resources
        })
    }

    pub(crate) async fn list(
        self,
        connection: &ServerConnection,
        options: &McpOptions,
        source: &str,
    ) -> Result<ServerCatalog, SourceError> {
        let mut tries = 1;
        loop {
            let mut catalog = CatalogBuilder::new(options, source);
            let listed = match self {
                ListingMethod::Extension => list_by_extension(connection, &mut catalog).await,
                ListingMethod::Index => index::list(connection, &mut catalog).await,
                ListingMethod::Resources => resources::list(connection, &mut catalog).await,
            };
            match listed {
                Ok(()) => return Ok(catalog.into_catalog()),
                Err(error) if error.kind() == SourceErrorKind::NotFound && tries < TRIES => {
                    tries += 1
                }
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) async fn entry(
        self,
        connection: &ServerConnection,
        old: &ListedSkill,
        options: &McpOptions,
    ) -> Result<ListedSkill, SourceError> {
        let entry = match self {
            ListingMethod::Extension => entry_by_extension(connection, old, options).await?,
            ListingMethod::Index => index::entry(connection, old, options).await?,
            ListingMethod::Resources => resources::entry(connection, old, options).await?,
        };
        if entry.uri != old.uri {
            let (asked, found) = (excerpt(old.uri.as_str()), excerpt(entry.uri.as_str()));
            return Err(SourceError::invalid(format!(
                "asked for `{asked}`, the server answers with `{found}`"
            )));
        }
        Ok(entry)
    }
}

async fn list_by_extension(
    connection: &ServerConnection,
    catalog: &mut CatalogBuilder<'_>,
) -> Result<(), SourceError> {
    let limits = &catalog.options.limits;
    let mut pages = ListPages::default();
    loop {
        let request = ListSkillsRequest {
            params: pages.params(),
            ..ListSkillsRequest::default()
        };
        let mut page = to_json(
            &connection
                .ask(ClientRequest::ListSkillsRequest(request))
                .await?,
        )?;
        let Some(Value::Array(rows)) = page.get_mut("skills").map(Value::take) else {
            return Err(SourceError::invalid(
                "the answer to `skills/list` has no `skills`",
            ));
        };
        for row in rows {
            let uri = row.get("uri").and_then(Value::as_str).map(str::to_owned);
            catalog.add(ListedSkill::parse(row, limits), uri.as_deref())?;
        }
        if !pages.advance(&page, limits.pages)? {
            return Ok(());
        }
    }
}

async fn entry_by_extension(
    connection: &ServerConnection,
    old: &ListedSkill,
    options: &McpOptions,
) -> Result<ListedSkill, SourceError> {
    let request = GetSkillRequest::new(GetSkillRequestParams::new(old.uri.as_str()));
    let mut answer = to_json(
        &connection
            .ask(ClientRequest::GetSkillRequest(request))
            .await?,
    )?;
    let Some(row) = answer.get_mut("skill").map(Value::take) else {
        return Err(SourceError::invalid(
            "the answer to `skills/get` has no `skill`",
        ));
    };
    ListedSkill::parse(row, &options.limits).map_err(invalid)
}

#[derive(Debug)]
struct CatalogBuilder<'a> {
    options: &'a McpOptions,
    source: &'a str,
    catalog: ServerCatalog,
    seen: std::collections::HashSet<String>,
    weight: usize,
    omitted_count: usize,
}

const MAX_DIAGNOSTICS: usize = 1000;

impl<'a> CatalogBuilder<'a> {
    fn new(options: &'a McpOptions, source: &'a str) -> CatalogBuilder<'a> {
        let (catalog, seen) = (ServerCatalog::default(), std::collections::HashSet::new());
        CatalogBuilder {
            options,
            source,
            catalog,
            seen,
            weight: 0,
            omitted_count: 0,
        }
    }

    fn add(
        &mut self,
        entry: Result<ListedSkill, String>,
        uri: Option<&str>,
    ) -> Result<(), SourceError> {
        let entry = match entry {
            Ok(entry) => entry,
            Err(reason) => {
                self.omit(&format!("an entry cannot be used: {reason}"), uri);
                return Ok(());
            }
        };
        self.weight += entry.weight();
        let limits = &self.options.limits;
        if self.weight > limits.list_bytes {
            return Err(too_large(format!(
                "the list has more than {} bytes; the limit is `limits.list-bytes`",
                limits.list_bytes
            )));
        }
        if self.catalog.entries.len() == limits.skills {
            return Err(too_large(format!(
                "the list has more than {} skills; the limit is `limits.skills`",
                limits.skills
            )));
        }
        if !self.seen.insert(entry.uri.as_str().to_owned()) {
            self.omit(
                "the server lists this address twice; the first entry is used",
                uri,
            );
            return Ok(());
        }
        if entry.is_unverified() {
            let (stays, what) = match self.options.unverified {
                crate::Unverified::Listed => {
                    (true, "nothing proves that what is read is what was listed")
                }
                crate::Unverified::LeftOut => (false, "it is omitted because of `unverified`"),
            };
            let what = format!("the server gives no digests of this skill: {what}");
            self.report(Code::MCP_UNVERIFIED, &what, Some(entry.uri.as_str()));
            if !stays {
                return Ok(());
            }
        }
        self.catalog.entries.push(entry);
        Ok(())
    }

    fn omit(&mut self, message: &str, uri: Option<&str>) {
        self.omitted_count += 1;
        self.report(Code::MCP_ENTRY, message, uri);
    }

    fn report(&mut self, code: Code, message: &str, uri: Option<&str>) {
        if self.catalog.diagnostics.len() < MAX_DIAGNOSTICS {
            let place = uri.map_or_else(
                || self.source.to_owned(),
                |uri| location_of(self.source, uri),
            );
            self.catalog
                .diagnostics
                .push(diagnostic(code, message, &place));
        }
    }

    fn into_catalog(mut self) -> ServerCatalog {
        if self.catalog.diagnostics.len() == MAX_DIAGNOSTICS {
            let message = format!(
                "there are more diagnostics than the {MAX_DIAGNOSTICS} that are shown; {} entries were left out",
                self.omitted_count
            );
            self.catalog
                .diagnostics
                .push(diagnostic(Code::MCP_ENTRY, message, self.source));
        }
        self.catalog
    }
}

pub(crate) fn location_of(source: &str, uri: &str) -> String {
    format!("{source}:{}", excerpt(uri))
}

fn to_json(answer: &ServerResult) -> Result<Value, SourceError> {
    serde_json::to_value(answer)
        .map_err(|error| SourceError::invalid("the answer cannot be read").caused_by(error))
}

fn invalid(reason: String) -> SourceError {
    SourceError::invalid(format!(
        "the server's entry for the skill cannot be used: {reason}"
    ))
}
