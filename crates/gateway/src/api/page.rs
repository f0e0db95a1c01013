//! The page for people: the registries, problems, sessions and events, rendered by the server.

mod age;
mod agent_views;
mod agents;
mod costs;
mod frame;
mod problems;
mod rows;
mod servers;
mod sessions;
mod skills;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use self::frame::{Answer, Frame, encoded, show};
use self::problems::{ProblemRow, ProblemSummary};
use self::rows::{EventRow, FoundRow, WorkflowRow};
use super::ApiState;
use super::agent_routes::RequestCaller;
use super::problem::Problem;
use crate::RegistryCounts;

/// The most results of a search in each registry.
const MOST_FOUND: usize = 50;

/// The most events on the page.
const MOST_EVENTS: usize = 100;

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

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    frame: Frame,
    state: String,
    counts: RegistryCounts,
    summary: ProblemSummary,
    problems: Vec<ProblemRow>,
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage {
    frame: Frame,
    /// `None` once it is solved.
    problem: Option<ProblemRow>,
}

#[derive(Template)]
#[template(path = "workflows.html")]
struct WorkflowsPage {
    frame: Frame,
    rows: Vec<WorkflowRow>,
}

#[derive(Template)]
#[template(path = "workflow.html")]
struct WorkflowPage {
    frame: Frame,
    row: WorkflowRow,
    body: Result<String, String>,
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
        .route("/problems/{key}", get(problem))
        .route("/skills", get(skills::skills))
        .route("/skills/{id}", get(skills::skill))
        .route("/agent-views", get(agent_views::views))
        .route("/agent-views/{name}", get(agent_views::name))
        .route("/costs", get(costs::costs))
        .route("/workflows", get(workflows))
        .route("/workflows/{*id}", get(workflow))
        .route("/agents", get(agents::agents))
        .route("/agents/{id}", get(agents::agent))
        .route("/mcp-servers", get(servers::servers))
        .route("/mcp-servers/{id}", get(servers::server))
        .route("/sessions", get(sessions::sessions))
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

async fn overview(State(api): State<ApiState>, caller: RequestCaller) -> Answer {
    let counts = api.gateway.registries()?.counts();
    let problems = problems::all(&api.gateway, caller).await?;
    show(&OverviewPage {
        frame: Frame::of("/"),
        state: api.gateway.state().to_string(),
        counts,
        summary: ProblemSummary::of(&problems),
        problems,
    })
}

async fn problem(
    State(api): State<ApiState>,
    caller: RequestCaller,
    Path(key): Path<String>,
) -> Answer {
    let mut problems = problems::all(&api.gateway, caller).await?.into_iter();
    show(&ProblemPage {
        frame: Frame::at("/", format!("/problems/{}", encoded(&key))),
        problem: problems.find(|problem| problem.key == key),
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

async fn workflow(State(api): State<ApiState>, Path(id): Path<String>) -> Answer {
    let workflows = api.gateway.registries()?.workflows;
    let snapshot = workflows.snapshot();
    let entry = snapshot.get(&id);
    let entry = entry.ok_or_else(|| Problem::not_found(format!("there is no workflow `{id}`")))?;
    let row = WorkflowRow::of(entry);
    let body = workflows.body(&entry.candidate).await;
    show(&WorkflowPage {
        frame: Frame::at("/workflows", row.link.clone()),
        row,
        body: body
            .map(|body| body.text.to_string())
            .map_err(|error| error.to_string()),
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
            query: q.clone(),
            ..Frame::at("/search", format!("/search?q={}", encoded(&q)))
        },
        rows: rows.collect(),
    })
}
