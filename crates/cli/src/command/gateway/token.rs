//! `repertoire gateway token`.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand, ValueEnum};
use repertoire_gateway::{NamedToken, TokenScope, TokenStore};
use serde::Serialize;

use super::{duration, state_folder, token_path};
use crate::Environment;
use crate::failure::Failure;
use crate::options::FolderOption;
use crate::output::Output;
use crate::table::TextTable;
use crate::utc::utc;

/// Issue, list and revoke access tokens of the HTTP server.
///
/// With the first token, every request over TCP needs one. A running gateway follows the changes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire gateway token issue monitor --scope read\n  repertoire gateway token issue deploy --scope operate --expires 30d\n  repertoire gateway token revoke monitor"
)]
pub(super) struct TokenCommand {
    #[command(subcommand)]
    action: TokenAction,
}

#[derive(Debug, Subcommand)]
enum TokenAction {
    /// Issue a token and print it. It is not stored, so it cannot be shown again.
    #[command(after_help = "Example:\n  repertoire gateway token issue monitor --scope read")]
    Issue(IssueArguments),
    /// List the tokens without their texts.
    #[command(after_help = "Example:\n  repertoire gateway token list")]
    List(ListArguments),
    /// Revoke a token. Requests with it are refused from now on.
    #[command(after_help = "Example:\n  repertoire gateway token revoke monitor")]
    Revoke(RevokeArguments),
}

#[derive(Debug, Args)]
struct IssueArguments {
    /// Name of the token.
    name: String,
    /// Requests that it allows.
    #[arg(long, value_enum)]
    scope: ScopeName,
    /// Time after which it is refused, such as `12h` or `30d` [default: never].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    expires: Option<Duration>,
    #[command(flatten)]
    folder: FolderOption,
}

#[derive(Debug, Args)]
struct ListArguments {
    #[command(flatten)]
    folder: FolderOption,
}

#[derive(Debug, Args)]
struct RevokeArguments {
    /// Name of the token.
    name: String,
    #[command(flatten)]
    folder: FolderOption,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeName {
    /// Requests that change nothing.
    Read,
    /// All requests.
    Operate,
}

/// The tokens of a gateway.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct TokenOutput {
    /// The text of the token that was issued, otherwise null.
    token: Option<String>,
    /// The tokens in the order in which they were issued.
    tokens: Vec<ListedToken>,
}

/// A token without its text.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ListedToken {
    name: String,
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["read", "operate"])))]
    scope: &'static str,
    /// The time from which it is refused, in seconds since 1970, or null.
    expires_at: Option<u64>,
    is_expired: bool,
}

impl TokenCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let folder = match &self.action {
            TokenAction::Issue(issue) => &issue.folder,
            TokenAction::List(list) => &list.folder,
            TokenAction::Revoke(revoke) => &revoke.folder,
        };
        let folder = folder.path(environment)?;
        let path = token_path(&folder);
        let store = TokenStore::open(&path);
        let cannot =
            |error: io::Error| Failure::io(format!("cannot use `{}`", path.display()), &error);
        let token = match &self.action {
            TokenAction::Issue(issue) => {
                let issued = state_folder::create(&folder).and_then(|()| issue.run(&store));
                Some(issued.map_err(cannot)?)
            }
            TokenAction::List(_) => None,
            TokenAction::Revoke(revoke) => {
                if !store.revoke(&revoke.name).map_err(cannot)? {
                    let failure = Failure::new(format!("there is no token `{}`", revoke.name));
                    return Err(failure.help("see `repertoire gateway token list`"));
                }
                None
            }
        };
        let tokens = store.tokens().map_err(cannot)?.into_iter();
        let output = TokenOutput {
            token,
            tokens: tokens.map(ListedToken::of).collect(),
        };
        if !out.write_json(&output) {
            self.print(&output, out);
        }
        Ok(())
    }

    fn print(&self, output: &TokenOutput, out: &mut Output) {
        if let Some(token) = &output.token {
            out.line(token);
            out.note("the token is not stored; it cannot be shown again");
        }
        if let TokenAction::List(_) = self.action {
            let mut table = TextTable::new(&["token", "scope", "expires"]);
            for row in &output.tokens {
                let expires = match row.expires_at {
                    None => "never".to_owned(),
                    Some(_) if row.is_expired => "expired".to_owned(),
                    Some(time) => utc(time.saturating_mul(1000)),
                };
                table.row([(&row.name).into(), row.scope.into(), expires.into()]);
            }
            table.write(out);
            let is_empty = output.tokens.is_empty();
            out.notes(is_empty.then(|| "no tokens".to_owned()));
        }
    }
}

impl IssueArguments {
    fn run(&self, store: &TokenStore) -> io::Result<String> {
        let scope = match self.scope {
            ScopeName::Read => TokenScope::Read,
            ScopeName::Operate => TokenScope::Operate,
        };
        let token = NamedToken::new(self.name.as_str(), scope);
        store.issue(match self.expires {
            Some(time) => token.lifetime(time),
            None => token,
        })
    }
}

impl ListedToken {
    fn of(token: NamedToken) -> ListedToken {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_secs());
        ListedToken {
            name: token.name.to_string(),
            scope: match token.scope {
                TokenScope::Read => "read",
                _ => "operate",
            },
            expires_at: token.expires_at,
            is_expired: token.expires_at.is_some_and(|time| time <= now),
        }
    }
}
