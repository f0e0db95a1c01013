//! The state of the live screen.

use std::path::Path;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use repertoire_profiles::{AgentView, HidingSetting, RootScope};

use super::pane_text::{Pane, PaneText, PaneView, best_file};
use super::surveyor::Survey;
use crate::command::status::surveyed_status::SurveyedStatus;
use crate::failure::Failure;
use crate::settings_file::WrittenFile;

/// The state of the live screen. Events change it, and its lines are a function of it.
#[derive(Debug)]
pub(super) struct LiveScreen {
    pub(super) status: Arc<SurveyedStatus>,
    pub(super) pane: Pane,
    /// The agent to which the screen is limited.
    pub(super) agent: Option<Arc<str>>,
    /// The words that entries contain.
    pub(super) search: String,
    pub(super) is_typing: bool,
    /// The position of the selected entry in its pane.
    pub(super) selected: usize,
    pub(super) dialog: Option<Dialog>,
    pub(super) message: Option<String>,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// A text in place of the panes.
#[derive(Debug)]
pub(super) enum Dialog {
    Help,
    /// The details of a skill, and the first visible line.
    Details {
        skill: Arc<str>,
        first: usize,
    },
    /// The question before a skill is turned off.
    Hide(HideQuestion),
}

/// The skill to turn off, and the entry that does it.
#[derive(Debug)]
pub(super) struct HideQuestion {
    pub(super) skill: Arc<str>,
    pub(super) agent: Arc<str>,
    pub(super) setting: HidingSetting,
}

/// A change of the world outside of the screen.
#[derive(Debug)]
pub(super) enum ScreenEvent {
    Pressed(KeyEvent),
    Surveyed(Survey),
    /// The editor has ended.
    Opened(Result<(), Failure>),
    /// The setting that turns a skill off was written.
    Written(Result<WrittenFile, Failure>),
}

/// A request of the screen to the program.
#[derive(Debug, PartialEq)]
pub(super) enum ScreenAction {
    Quit,
    Refresh,
    Open(Arc<Path>),
    Hide(HidingSetting),
}

impl LiveScreen {
    pub(super) fn new(status: Arc<SurveyedStatus>) -> LiveScreen {
        LiveScreen {
            status,
            pane: Pane::Skills,
            agent: None,
            search: String::new(),
            is_typing: false,
            selected: 0,
            dialog: None,
            message: None,
            columns: 80,
            rows: 24,
        }
    }

    pub(super) fn resize(&mut self, columns: usize, rows: usize) {
        (self.columns, self.rows) = (columns, rows);
    }

    /// Changes the state, and returns what the program has to do.
    pub(super) fn apply(&mut self, event: ScreenEvent) -> Option<ScreenAction> {
        match event {
            ScreenEvent::Pressed(key) => return self.press(key),
            ScreenEvent::Surveyed(Ok(status)) => self.update(status),
            ScreenEvent::Surveyed(Err(failure)) | ScreenEvent::Opened(Err(failure)) => {
                self.message = Some(failure.sentence());
            }
            ScreenEvent::Opened(Ok(())) => {}
            ScreenEvent::Written(written) => self.message = Some(self.written(written)),
        }
        None
    }

    /// Shows a new survey; the same skill stays selected.
    fn update(&mut self, status: Arc<SurveyedStatus>) {
        let selected = self.selected_skill();
        self.status = status;
        if self.view().is_none() {
            self.agent = None;
        }
        let entries = self.pane_text().entries;
        let same = entries.iter().position(|entry| entry.skill == selected);
        let last = entries.len().saturating_sub(1);
        self.selected = match same.filter(|_| selected.is_some()) {
            Some(same) => same,
            None => self.selected.min(last),
        };
    }

    fn written(&self, written: Result<WrittenFile, Failure>) -> String {
        let paths = &self.status.seen.paths;
        match written {
            Ok(WrittenFile {
                path: file,
                backup: Some(backup),
                ..
            }) => format!(
                "changed `{}`; the file before is `{}`",
                paths.path(&file),
                paths.path(&backup)
            ),
            Ok(written) => format!("created `{}`", paths.path(&written.path)),
            Err(failure) => failure.sentence(),
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenAction> {
        self.message = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return (key.code == KeyCode::Char('c')).then_some(ScreenAction::Quit);
        }
        if self.is_typing {
            self.type_key(key.code);
            return None;
        }
        match &self.dialog {
            Some(_) => self.press_in_dialog(key.code),
            None => self.press_in_pane(key.code),
        }
    }

    fn type_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char(character) => self.search.push(character),
            KeyCode::Backspace => drop(self.search.pop()),
            KeyCode::Esc => {
                self.search.clear();
                self.is_typing = false;
            }
            KeyCode::Enter => self.is_typing = false,
            KeyCode::Up | KeyCode::Down => {
                self.is_typing = false;
                self.move_selection(code);
                return;
            }
            _ => return,
        }
        self.selected = 0;
    }

    fn press_in_dialog(&mut self, code: KeyCode) -> Option<ScreenAction> {
        match (self.dialog.take()?, code) {
            (Dialog::Hide(question), KeyCode::Char('y')) => {
                return Some(ScreenAction::Hide(question.setting));
            }
            (Dialog::Hide(question), KeyCode::Char('n') | KeyCode::Esc | KeyCode::Char('q')) => {
                self.message = Some(format!("`{}` stays as it is", question.skill));
            }
            (dialog @ Dialog::Hide(_), _) => self.dialog = Some(dialog),
            (dialog @ Dialog::Details { .. }, KeyCode::Char('o' | 'e')) => {
                self.dialog = Some(dialog);
                return self.open();
            }
            (dialog @ Dialog::Details { .. }, KeyCode::Char('d')) => {
                self.dialog = Some(dialog);
                self.ask_to_hide();
            }
            (Dialog::Details { skill, first }, _) => {
                if !is_closing(code) {
                    let first = self.scrolled(&skill, first, code);
                    self.dialog = Some(Dialog::Details { skill, first });
                }
            }
            (Dialog::Help, code) if is_closing(code) || code == KeyCode::Char('?') => {}
            (Dialog::Help, _) => self.dialog = Some(Dialog::Help),
        }
        None
    }

    /// Returns the first visible line of the details after a key.
    fn scrolled(&self, skill: &Arc<str>, first: usize, code: KeyCode) -> usize {
        let rows = self.text_rows();
        let last = self.details(skill).len().saturating_sub(rows);
        moved(first, code, rows).unwrap_or(first).min(last)
    }

    fn press_in_pane(&mut self, code: KeyCode) -> Option<ScreenAction> {
        match code {
            KeyCode::Char('q') => return Some(ScreenAction::Quit),
            KeyCode::Esc if self.search.is_empty() => return Some(ScreenAction::Quit),
            KeyCode::Esc => {
                self.search.clear();
                self.selected = 0;
            }
            KeyCode::Char('r') => return Some(ScreenAction::Refresh),
            KeyCode::Char('/') => {
                self.search.clear();
                self.is_typing = true;
                self.selected = 0;
            }
            KeyCode::Char('?') => self.dialog = Some(Dialog::Help),
            KeyCode::Char('a') | KeyCode::Right => self.choose_agent(1),
            KeyCode::Left => self.choose_agent(self.status.seen.views.len()),
            KeyCode::Tab => self.show_pane(1),
            KeyCode::BackTab => self.show_pane(Pane::ALL.len() - 1),
            KeyCode::Enter | KeyCode::Char('w') => {
                let skill = self.selected_skill();
                self.dialog = skill.map(|skill| Dialog::Details { skill, first: 0 });
            }
            KeyCode::Char('o' | 'e') => return self.open(),
            KeyCode::Char('d') => self.ask_to_hide(),
            code => self.move_selection(code),
        }
        None
    }

    fn move_selection(&mut self, code: KeyCode) {
        let last = self.pane_text().entries.len().saturating_sub(1);
        if let Some(selected) = moved(self.selected, code, self.rows / 2) {
            self.selected = selected.min(last);
        }
    }

    fn show_pane(&mut self, steps: usize) {
        self.pane = self.pane.after(steps);
        self.selected = 0;
    }

    /// Limits the screen to an agent further right in the circle of all agents and each one.
    fn choose_agent(&mut self, steps: usize) {
        let views = &self.status.seen.views;
        let agent = self.agent_column().map_or(0, |column| column + 1);
        let next = (agent + steps) % (views.len() + 1);
        self.agent = next.checked_sub(1).map(|at| views[at].agent.clone());
        self.selected = 0;
    }

    /// Returns the position of the agent to which the screen is limited.
    pub(super) fn agent_column(&self) -> Option<usize> {
        let agent = self.agent.as_ref()?;
        let mut views = self.status.seen.views.iter();
        views.position(|view| view.agent == *agent)
    }

    /// Returns the view of the agent to which the screen is limited.
    pub(super) fn view(&self) -> Option<&AgentView> {
        Some(&self.status.seen.views[self.agent_column()?])
    }

    pub(super) fn pane_text(&self) -> PaneText {
        PaneText::of(&PaneView {
            status: &self.status,
            pane: self.pane,
            agent: self.agent.as_ref(),
            column: self.agent_column(),
            search: &self.search,
            columns: self.columns,
        })
    }

    /// Returns the views that the screen is about.
    pub(super) fn views(&self) -> &[AgentView] {
        let views = &self.status.seen.views;
        match self.agent_column() {
            Some(column) => &views[column..=column],
            None => views,
        }
    }

    /// Returns the skill of the details, else that of the selected entry.
    fn selected_skill(&self) -> Option<Arc<str>> {
        match &self.dialog {
            Some(Dialog::Details { skill, .. }) => Some(skill.clone()),
            _ => self.selected_entry()?.skill,
        }
    }

    fn selected_entry(&self) -> Option<super::pane_text::PaneEntry> {
        let entries = self.pane_text().entries;
        entries.into_iter().nth(self.selected)
    }

    fn open(&mut self) -> Option<ScreenAction> {
        let of_entry = match &self.dialog {
            Some(_) => None,
            None => self.selected_entry()?.file,
        };
        let file = of_entry.or_else(|| {
            let skill = self.selected_skill()?;
            let mut files = self.views().iter();
            files.find_map(|view| Some(best_file(view, &skill)?.path.clone()))
        });
        Some(ScreenAction::Open(file?))
    }

    /// Asks before the selected skill is turned off, or says why it cannot be.
    fn ask_to_hide(&mut self) {
        let Some(skill) = self.selected_skill() else {
            self.message = Some("select a skill to turn off".to_owned());
            return;
        };
        let question = match self.views() {
            [view] => self.hide_question(view, &skill),
            _ => Err("choose the agent first: press `a` or an arrow key".to_owned()),
        };
        match question {
            Ok(question) => self.dialog = Some(Dialog::Hide(question)),
            Err(why) => self.message = Some(why),
        }
    }

    fn hide_question(&self, view: &AgentView, skill: &Arc<str>) -> Result<HideQuestion, String> {
        let seen = &self.status.seen;
        let (agents, agent) = (&seen.agents, &view.agent);
        let file = best_file(view, skill).filter(|file| file.outcome.may_load());
        let file = file.ok_or_else(|| format!("{agent} does not load `{skill}`"))?;
        let profile = agents.profiles().get(agent);
        let setting = profile.and_then(|profile| profile.hiding_setting(&agents.place, file));
        let setting = setting.ok_or_else(|| {
            let instead = match file.scope {
                RootScope::Plugin => "disable its plugin in the agent".to_owned(),
                _ => format!(
                    "move `{}` to a folder that it does not read",
                    seen.paths.skill(&file.path)
                ),
            };
            format!("no setting of {agent} turns off this skill alone; {instead}")
        })?;
        Ok(HideQuestion {
            skill: skill.clone(),
            agent: agent.clone(),
            setting,
        })
    }
}

fn is_closing(code: KeyCode) -> bool {
    matches!(
        code,
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | 'w')
    )
}

/// Returns the position after a key that moves by a line, a page, or to an end.
fn moved(at: usize, code: KeyCode, page: usize) -> Option<usize> {
    match code {
        KeyCode::Down | KeyCode::Char('j') => Some(at + 1),
        KeyCode::Up | KeyCode::Char('k') => Some(at.saturating_sub(1)),
        KeyCode::PageDown => Some(at + page),
        KeyCode::PageUp => Some(at.saturating_sub(page)),
        KeyCode::Home | KeyCode::Char('g') => Some(0),
        KeyCode::End | KeyCode::Char('G') => Some(usize::MAX),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
