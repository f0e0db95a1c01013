//! The views of skills.

use std::collections::HashMap;

use askama::Template;
use axum::extract::{Path, State};
use repertoire::skill::Item;

use super::frame::{Answer, Frame, encoded, show};
use super::problems::below;
use super::rows::SkillRow;
use crate::api::ApiState;
use crate::api::bodies::{FileRow, Why};
use crate::api::problem::Problem;

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
    /// The page with what agents see of it.
    views: String,
    body: Result<String, String>,
    files: Vec<FileRow>,
}

pub(super) async fn skills(State(api): State<ApiState>) -> Answer {
    let (skills, status) = (api.gateway.registries()?.skills, api.gateway.status());
    let (snapshot, reasons) = (skills.snapshot(), status.reasons());
    let mut diagnostics: HashMap<&str, usize> = HashMap::new();
    for found in snapshot.diagnostics() {
        if let Some(path) = found.diagnostic.path.as_deref() {
            *diagnostics.entry(path).or_default() += 1;
        }
    }
    let entries = snapshot.entries().iter();
    let rows = entries.map(|entry| {
        let places = entry.candidates().filter_map(|one| one.item.location());
        let counts = places.filter_map(|place| diagnostics.get(place));
        let row = SkillRow::of(entry, reasons.contains_key(entry.id.as_str()));
        row.counting(counts.sum())
    });
    show(&SkillsPage {
        frame: Frame::of("/skills"),
        rows: rows.collect(),
    })
}

pub(super) async fn skill(State(api): State<ApiState>, Path(id): Path<String>) -> Answer {
    let skills = api.gateway.registries()?.skills;
    let snapshot = skills.snapshot();
    let entry = snapshot.get(&id);
    let entry = entry.ok_or_else(|| Problem::not_found(format!("there is no skill `{id}`")))?;
    let mut why = Why::of(&snapshot, entry);
    why.not_ready = api.gateway.not_ready(entry);
    let project = api.gateway.configuration().registries().project.clone();
    for place in why
        .candidates
        .iter_mut()
        .filter_map(|row| row.location.as_mut())
    {
        *place = below(&project, place).to_owned();
    }
    for place in why
        .diagnostics
        .iter_mut()
        .filter_map(|row| row.path.as_mut())
    {
        *place = below(&project, place).into();
    }
    let row = SkillRow::of(entry, why.not_ready.is_some());
    let body = skills.body(&entry.candidate).await;
    // A source without files is no error here.
    let files = skills.resources(&entry.candidate).await.unwrap_or_default();
    show(&SkillPage {
        frame: Frame::at("/skills", row.link.clone()),
        row,
        why,
        views: format!("/agent-views/{}", encoded(&id)),
        body: body
            .map(|body| body.text.to_string())
            .map_err(|error| error.to_string()),
        files: files.iter().map(FileRow::of).collect(),
    })
}
