//! The view of sessions: what each was given, and why.

use askama::Template;
use axum::extract::State;
use repertoire::Skill;
use repertoire::permission::Audience;
use repertoire::registry::Snapshot;
use repertoire_mcp::{Caller, GivenSkill, SessionRecord};

use super::age::{age, milliseconds};
use super::frame::{Answer, Frame, encoded, show};
use super::rows::skill_link;
use crate::api::ApiState;
use crate::clock::now;

/// The most sessions on the page.
const MOST_SESSIONS: usize = 100;

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    frame: Frame,
    open: usize,
    rows: Vec<SessionRow>,
}

struct SessionRow {
    number: u64,
    has_session: bool,
    client: String,
    caller: CallerCell,
    begun: String,
    /// `None` while it is open.
    ended: Option<String>,
    skills: Vec<GivenRow>,
}

/// The party of a session, with a link to an agent.
struct CallerCell {
    text: String,
    link: Option<String>,
}

struct GivenRow {
    id: String,
    link: Option<String>,
    source: String,
    reason: &'static str,
    given: String,
    is_active: bool,
    tools: String,
}

pub(super) async fn sessions(State(api): State<ApiState>) -> Answer {
    let skills = api.gateway.registries()?.skills.snapshot();
    let (sessions, now) = (api.gateway.http().sessions.sessions(), now());
    let is_open = |session: &&SessionRecord| session.has_session && session.ended_at.is_none();
    let open = sessions.iter().filter(is_open).count();
    let latest = sessions.iter().take(MOST_SESSIONS);
    show(&SessionsPage {
        frame: Frame::of("/sessions").polled(),
        open,
        rows: latest
            .map(|session| SessionRow::of(session, &skills, now))
            .collect(),
    })
}

impl SessionRow {
    fn of(session: &SessionRecord, skills: &Snapshot<Skill>, now: u64) -> SessionRow {
        let ended = session.ended_at.map(milliseconds);
        let given = session.skills.iter().rev();
        SessionRow {
            number: session.number,
            has_session: session.has_session,
            client: format!("{} {}", session.client, session.version),
            caller: CallerCell::of(&session.caller),
            begun: age(milliseconds(session.begun_at), now),
            ended: ended.map(|ended| age(ended, now)),
            skills: given
                .map(|given| GivenRow::of(given, skills, now))
                .collect(),
        }
    }
}

impl CallerCell {
    fn of(caller: &Caller) -> CallerCell {
        let (text, link) = match caller {
            Caller::Agent { id, .. } => ("an agent", Some(format!("/agents/{}", encoded(id)))),
            Caller::Operator => ("the operator", None),
            Caller::Reader => ("a reader", None),
            _ => ("a program of this machine", None),
        };
        CallerCell {
            text: text.to_owned(),
            link,
        }
    }
}

impl GivenRow {
    fn of(given: &GivenSkill, skills: &Snapshot<Skill>, now: u64) -> GivenRow {
        // Its source may have a namespace, and it may be hidden or gone by now.
        let found = skills.resolve(&format!("{}:{}", given.root.source, given.root.id));
        GivenRow {
            id: given.root.id.to_string(),
            link: found.ok().map(|found| skill_link(found.entry.id.as_str())),
            source: given.root.source.to_string(),
            reason: match given.audience {
                Audience::Model => "the model read it",
                Audience::User => "the user chose its prompt",
            },
            given: age(milliseconds(given.given_at), now),
            is_active: given.is_active,
            tools: given.tools.join(", "),
        }
    }
}
