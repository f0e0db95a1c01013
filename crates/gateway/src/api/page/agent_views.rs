//! The views of what coding agents on this machine see in the folder of the gateway.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use repertoire::config::HostSettings;
use repertoire_profiles::{
    AgentPlace, AgentProfile, AgentProfiles, AgentView, BudgetUnit, SeenName, ShownPaths, SkillMark,
};

use super::frame::{Answer, Frame, encoded, show};
use crate::Gateway;
use crate::api::ApiState;
use crate::api::problem::Problem;

#[derive(Template)]
#[template(path = "agent_views.html")]
struct AgentViewsPage {
    frame: Frame,
    folder: String,
    agents: Vec<SeeingAgent>,
    rows: Vec<SeenRow>,
}

#[derive(Template)]
#[template(path = "agent_view.html")]
struct AgentViewPage {
    frame: Frame,
    name: String,
    files: Vec<SeenFile>,
}

/// A coding agent of this machine.
struct SeeingAgent {
    title: String,
    loaded: usize,
    budget: String,
    is_over: bool,
    cut: usize,
}

/// A name with the result of each agent.
struct SeenRow {
    name: String,
    link: String,
    cells: Vec<SeenCell>,
}

#[derive(Clone)]
struct SeenCell {
    agent: String,
    word: &'static str,
    class: &'static str,
}

/// The result of one agent for one file.
struct SeenFile {
    agent: String,
    word: &'static str,
    class: &'static str,
    path: String,
    outcome: String,
    fix: Option<String>,
}

/// The views of all agents of this machine at one time.
struct MachineSurvey {
    paths: ShownPaths,
    folder: PathBuf,
    /// With the titles of the agents.
    views: Vec<(String, AgentView)>,
}

pub(super) async fn views(State(api): State<ApiState>) -> Answer {
    let survey = survey(&api.gateway).await?;
    show(&AgentViewsPage {
        frame: Frame::of("/agent-views"),
        folder: survey.paths.path(&survey.folder),
        agents: survey.views.iter().map(SeeingAgent::of).collect(),
        rows: survey.rows(),
    })
}

pub(super) async fn name(State(api): State<ApiState>, Path(name): Path<String>) -> Answer {
    let survey = survey(&api.gateway).await?;
    show(&AgentViewPage {
        frame: Frame::at("/agent-views", format!("/agent-views/{}", encoded(&name))),
        files: survey.files(&name),
        name,
    })
}

async fn survey(gateway: &Gateway) -> Result<MachineSurvey, Problem> {
    let folder = gateway.configuration().registries().project.clone();
    let settings = gateway.settings().clone();
    let surveyed = tokio::task::spawn_blocking(move || MachineSurvey::of(&settings, &folder)).await;
    surveyed.map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

impl MachineSurvey {
    fn of(settings: &HostSettings, folder: &FilePath) -> MachineSurvey {
        // Without a home folder no path below it exists.
        let home = settings.home.clone().unwrap_or_else(|| "\0".into());
        let mut place = AgentPlace::new(home, folder);
        let variables = settings.variables.iter();
        place.environment = variables
            .filter_map(|(name, value)| Some((name.to_str()?.into(), value.to_str()?.into())))
            .collect();
        let mut profiles = AgentProfiles::built_in();
        // The command line reports their faults.
        profiles.add_folder(&own_profiles(&place));
        let (found, _) = profiles.found_in(&place);
        let mut survey = profiles.survey(&place);
        let mut view = |profile: &AgentProfile| {
            let view = survey.view(profile.name())?;
            Some((profile.title().to_owned(), view))
        };
        MachineSurvey {
            views: found.into_iter().filter_map(&mut view).collect(),
            paths: ShownPaths::new(&place.home, &place.folder),
            folder: place.folder.clone(),
        }
    }

    /// Returns the names that an agent has in one of its folders.
    fn rows(&self) -> Vec<SeenRow> {
        let unseen: Vec<_> = self
            .views
            .iter()
            .map(|(title, _)| SeenCell::of(title, SkillMark::NotRead))
            .collect();
        let mut rows: BTreeMap<&str, Vec<SeenCell>> = BTreeMap::new();
        for (column, (title, view)) in self.views.iter().enumerate() {
            for (name, seen) in SeenName::all(view) {
                let mark = SkillMark::of_name(&seen);
                if mark != SkillMark::NotRead {
                    let cells = rows.entry(name).or_insert_with(|| unseen.clone());
                    cells[column] = SeenCell::of(title, mark);
                }
            }
        }
        let rows = rows.into_iter().map(|(name, cells)| SeenRow {
            name: name.to_owned(),
            link: format!("/agent-views/{}", encoded(name)),
            cells,
        });
        rows.collect()
    }

    /// Returns the results of all agents for the files of one name.
    fn files(&self, name: &str) -> Vec<SeenFile> {
        let mut files = Vec::new();
        for (title, view) in &self.views {
            let seen = view.skills.iter().filter(|skill| *skill.name == *name);
            for skill in seen {
                let one = SeenName { files: vec![skill] };
                let cell = SeenCell::of(title, SkillMark::of_name(&one));
                files.push(SeenFile {
                    agent: cell.agent,
                    word: cell.word,
                    class: cell.class,
                    path: self.paths.path(&skill.path),
                    outcome: skill.outcome.text(&self.paths),
                    fix: skill.fix.as_deref().map(|fix| self.paths.text(fix)),
                });
            }
        }
        files
    }
}

/// Returns the folder with profiles of the user.
fn own_profiles(place: &AgentPlace) -> PathBuf {
    let config = place.environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.filter(|config| config.is_absolute());
    let config = config.unwrap_or_else(|| place.home.join(".config"));
    config.join("repertoire/agents")
}

impl SeeingAgent {
    fn of((title, view): &(String, AgentView)) -> SeeingAgent {
        let budget = &view.budget;
        let unit = match budget.unit {
            BudgetUnit::Characters => "characters",
            BudgetUnit::Bytes => "bytes",
            BudgetUnit::Tokens => "tokens",
        };
        let limit = match budget.limit {
            Some(limit) => format!("of {limit} {unit}"),
            None if budget.is_limit_unknown => format!("{unit}, limit unknown"),
            None => format!("{unit}, no limit"),
        };
        SeeingAgent {
            title: title.clone(),
            loaded: SeenName::all(view).values().map(SeenName::loaded).sum(),
            budget: format!("{} {limit}", budget.used),
            is_over: budget.limit.is_some_and(|limit| budget.used > limit),
            cut: budget.cut,
        }
    }
}

impl SeenCell {
    fn of(agent: &str, mark: SkillMark) -> SeenCell {
        SeenCell {
            agent: agent.to_owned(),
            word: match mark {
                SkillMark::NotRead => "not read",
                mark => mark.spelled().0,
            },
            class: match mark {
                SkillMark::Loaded(_) => "good",
                SkillMark::Cut | SkillMark::Unsure | SkillMark::Hidden => "warning",
                SkillMark::Refused => "error",
                SkillMark::Manual | SkillMark::Later => "",
                SkillMark::NotRead => "none",
            },
        }
    }
}
