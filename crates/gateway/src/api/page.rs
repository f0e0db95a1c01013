//! The page for people: the registries, problems and events, rendered by the server.

mod rows;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use self::rows::{
    AgentRow, EventRow, FoundRow, ProblemRow, RecordRow, ServerRow, SkillRow, WorkflowRow, problems,
};
use super::ApiState;
use super::agent_routes::{RequestCaller, caller_of};
use super::bodies::{FileRow, Why};
use super::problem::Problem;
use crate::RegistryCounts;
use crate::clock::now;

type Answer = Result<Response, Problem>;

/// The most results of a search in each registry.
const MOST_FOUND: usize = 50;

/// The most events on the page.
const MOST_EVENTS: usize = 100;

/// No script, style or request of a different origin, and none inside the page: texts of skills are untrusted.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The files of the page: path, type and content.
const ASSETS: [(&str, &str, &str); 3] = [
    (
        "/page/htmx.js",
        "text/javascript",
        include_str!("../../assets/htmx-2.0.11.min.js"),
    ),
    (
        "/page/sse.js",
        "text/javascript",
        include_str!("../../assets/sse-2.2.4.min.js"),
    ),
    (
        "/page/style.css",
        "text/css",
        include_str!("../../assets/style.css"),
    ),
];

/// A view, as the navigation has it.
struct View {
    path: &'static str,
    name: &'static str,
}

const VIEWS: [View; 6] = [
    View {
        path: "/",
        name: "Overview",
    },
    View {
        path: "/skills",
        name: "Skills",
    },
    View {
        path: "/workflows",
        name: "Workflows",
    },
    View {
        path: "/agents",
        name: "Agents",
    },
    View {
        path: "/mcp-servers",
        name: "MCP servers",
    },
    View {
        path: "/events",
        name: "Events",
    },
];

/// The facts that every view has.
struct Frame {
    /// The path with its query, by which the view updates itself.
    path: String,
    /// The path of the view in the navigation.
    view: &'static str,
    views: &'static [View],
    query: String,
}

impl Frame {
    fn of(view: &'static str) -> Frame {
        Frame {
            path: view.to_owned(),
            view,
            views: &VIEWS,
            query: String::new(),
        }
    }
}

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    frame: Frame,
    state: String,
    counts: RegistryCounts,
    problems: Vec<ProblemRow>,
}

#[derive(Template)]
#[template(path = "skills.html")]
struct SkillsPage {
    frame: Frame,
    rows: Vec<SkillRow>,
}

#[derive(Template)]
#[template(path = "skill.html")]
struct SkillPage {
    frame: Frame,
    row: SkillRow,
    why: Why,
    body: Result<String, String>,
    files: Vec<FileRow>,
}

#[derive(Template)]
#[template(path = "workflows.html")]
struct WorkflowsPage {
    frame: Frame,
    rows: Vec<WorkflowRow>,
}

#[derive(Template)]
#[template(path = "agents.html")]
struct AgentsPage {
    frame: Frame,
    rows: Vec<AgentRow>,
    records: Result<Vec<RecordRow>, String>,
}

#[derive(Template)]
#[template(path = "servers.html")]
struct ServersPage {
    frame: Frame,
    rows: Vec<ServerRow>,
}

#[derive(Template)]
#[template(path = "events.html")]
struct EventsPage {
    frame: Frame,
    rows: Vec<EventRow>,
}

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    rows: Vec<FoundRow>,
}

/// Returns the routes of the page.
pub(super) fn routes() -> Router<ApiState> {
    let router = Router::new()
        .route("/", get(overview))
        .route("/skills", get(skills))
        .route("/skills/{id}", get(skill))
        .route("/workflows", get(workflows))
        .route("/agents", get(agents))
        .route("/mcp-servers", get(servers))
        .route("/events", get(events))
        .route("/search", get(search));
    ASSETS
        .into_iter()
        .fold(router, |router, (path, kind, content)| {
            router.route(path, get(move || async move { asset(kind, content) }))
        })
}

fn asset(kind: &'static str, content: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CACHE_CONTROL, HeaderValue::from_static("max-age=3600")),
    ];
    (headers, content).into_response()
}

fn show(page: &impl Template) -> Answer {
    let text = page
        .render()
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, text).into_response())
}

async fn overview(State(api): State<ApiState>) -> Answer {
    let (registries, status) = (api.gateway.registries()?, api.gateway.status());
    show(&OverviewPage {
        frame: Frame::of("/"),
        state: status.state.to_string(),
        counts: registries.counts(),
        problems: problems(&registries, &status),
    })
}

async fn skills(State(api): State<ApiState>) -> Answer {
    let (skills, status) = (api.gateway.registries()?.skills, api.gateway.status());
    let (snapshot, reasons) = (skills.snapshot(), status.reasons());
    let entries = snapshot.entries().iter();
    let rows = entries.map(|entry| SkillRow::of(entry, reasons.contains_key(entry.id.as_str())));
    show(&SkillsPage {
        frame: Frame::of("/skills"),
        rows: rows.collect(),
    })
}

async fn skill(State(api): State<ApiState>, Path(id): Path<String>) -> Answer {
    let skills = api.gateway.registries()?.skills;
    let snapshot = skills.snapshot();
    let entry = snapshot.get(&id);
    let entry = entry.ok_or_else(|| Problem::not_found(format!("there is no skill `{id}`")))?;
    let mut why = Why::of(&snapshot, entry);
    why.not_ready = api.gateway.not_ready(entry);
    let row = SkillRow::of(entry, why.not_ready.is_some());
    let body = skills.body(&entry.candidate).await;
    // A source without files is no error here.
    let files = skills.resources(&entry.candidate).await.unwrap_or_default();
    show(&SkillPage {
        frame: Frame {
            path: row.link.clone(),
            ..Frame::of("/skills")
        },
        row,
        why,
        body: body
            .map(|body| body.text.to_string())
            .map_err(|error| error.to_string()),
        files: files.iter().map(FileRow::of).collect(),
    })
}

async fn workflows(State(api): State<ApiState>) -> Answer {
    let snapshot = api.gateway.registries()?.workflows.snapshot();
    let entries = snapshot.entries().iter();
    show(&WorkflowsPage {
        frame: Frame::of("/workflows"),
        rows: entries.map(|entry| WorkflowRow::of(entry)).collect(),
    })
}

async fn agents(State(api): State<ApiState>, caller: RequestCaller) -> Answer {
    let snapshot = api.gateway.registries()?.agents.snapshot();
    let now = now();
    let records = match api.gateway.agents() {
        Some(agents) => agents
            .list(&caller_of(caller))
            .await
            .map_err(|refusal| refusal.message),
        None => Err("The gateway has no store of agents.".to_owned()),
    };
    let records = records.map(|records| {
        let latest = records.iter().rev();
        latest.map(|record| RecordRow::of(record, now)).collect()
    });
    let entries = snapshot.entries().iter();
    show(&AgentsPage {
        frame: Frame::of("/agents"),
        rows: entries.map(|entry| AgentRow::of(entry)).collect(),
        records,
    })
}

async fn servers(State(api): State<ApiState>) -> Answer {
    api.gateway.registries()?;
    let servers = api.gateway.status().mcp_servers;
    show(&ServersPage {
        frame: Frame::of("/mcp-servers"),
        rows: servers.iter().map(ServerRow::of).collect(),
    })
}

async fn events(State(api): State<ApiState>) -> Answer {
    let log = api.events()?;
    let frames = log.latest(MOST_EVENTS).into_iter();
    let rows = frames.filter_map(|(number, frame)| EventRow::of(number, &frame));
    show(&EventsPage {
        frame: Frame::of("/events"),
        rows: rows.collect(),
    })
}

#[derive(Deserialize)]
struct SearchText {
    #[serde(default)]
    q: String,
}

async fn search(State(api): State<ApiState>, Query(SearchText { q }): Query<SearchText>) -> Answer {
    let registries = api.gateway.registries()?;
    let query = repertoire::search::Query::new(q.as_str())
        .for_operator()
        .limit(MOST_FOUND);
    let skills = api.indexes.skills(&registries).search(&query);
    let workflows = api.indexes.workflows(&registries).search(&query);
    let rows = skills.iter().map(FoundRow::of_skill);
    let rows = rows.chain(workflows.iter().map(FoundRow::of_workflow));
    show(&SearchPage {
        frame: Frame {
            path: format!("/search?q={}", rows::encoded(&q)),
            query: q,
            ..Frame::of("/search")
        },
        rows: rows.collect(),
    })
}
