use std::fs;
use std::path::PathBuf;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};
use snapbox::{assert_data_eq, file};
use tempfile::TempDir;

use super::super::live_terminal::draw;
use super::*;
use crate::Environment;
use crate::options::SourceOptions;

/// A home with skills for three agents, and the screen of a survey.
struct Scene {
    home: TempDir,
    screen: LiveScreen,
}

impl Scene {
    fn new() -> Scene {
        let home = tempfile::tempdir().unwrap();
        for (folder, name, description) in [
            (".agents", "deploy", "Ships the service to production."),
            (".agents", "lint", "Runs every linter."),
            (".claude", "deploy", "Ships the service to staging."),
            (".claude", "greet", "Writes a greeting."),
        ] {
            skill(&home, folder, name, description);
        }
        let broken = home.path().join(".agents/skills/half");
        fs::create_dir_all(&broken).unwrap();
        let text = "---\nname: half\ndescription: Half: a description.\n---\n";
        fs::write(broken.join("SKILL.md"), text).unwrap();
        fs::create_dir(home.path().join("work")).unwrap();
        let status = survey(&home);
        Scene {
            home,
            screen: LiveScreen::new(Arc::new(status)),
        }
    }

    fn press(&mut self, keys: &[KeyCode]) -> Option<ScreenAction> {
        let press = |key: &KeyCode| {
            let key = KeyEvent::new(*key, KeyModifiers::NONE);
            self.screen.apply(ScreenEvent::Pressed(key))
        };
        keys.iter().map(press).last().flatten()
    }

    fn type_text(&mut self, text: &str) -> Option<ScreenAction> {
        let keys: Vec<_> = text.chars().map(KeyCode::Char).collect();
        self.press(&keys)
    }

    /// Returns the whole screen as text.
    fn text(&mut self, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        let drawn = |frame: &mut ratatui::Frame<'_>| draw(&mut self.screen, true, frame);
        terminal.draw(drawn).unwrap();
        let buffer = terminal.backend().buffer();
        let cells = buffer.content().chunks(columns.into());
        let lines = cells.map(|row| {
            let line: String = row.iter().map(|cell| cell.symbol()).collect();
            line.trim_end().to_owned() + "\n"
        });
        lines.collect()
    }
}

fn skill(home: &TempDir, folder: &str, name: &str, description: &str) {
    let folder = home.path().join(folder).join("skills").join(name);
    fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n");
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

fn survey(home: &TempDir) -> SurveyedStatus {
    let agents = ["claude-code", "codex", "goose"].map(str::to_owned);
    let sources = SourceOptions {
        agents: agents.into(),
        ..SourceOptions::default()
    };
    let mut environment = Environment::new(home.path().join("work")).home(home.path());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let surveyed = SurveyedStatus::survey(&sources, &mut environment);
    runtime
        .block_on(surveyed)
        .unwrap_or_else(|failure| panic!("{failure:?}"))
}

#[test]
fn the_screen_fits_its_terminal() {
    let mut scene = Scene::new();
    assert_data_eq!(scene.text(60, 20), file!["tests/60.txt"]);
    assert_data_eq!(scene.text(80, 24), file!["tests/80.txt"]);
    assert_data_eq!(scene.text(140, 16), file!["tests/140.txt"]);
    assert_data_eq!(scene.text(30, 8), file!["tests/30.txt"]);
}

#[test]
fn a_search_limits_each_part() {
    let mut scene = Scene::new();
    scene.type_text("/pr");
    assert_data_eq!(scene.text(80, 14), file!["tests/search.txt"]);
    scene.press(&[KeyCode::Enter, KeyCode::Tab]);
    scene.type_text("/yaml");
    assert_data_eq!(scene.text(80, 14), file!["tests/search-problems.txt"]);
    assert_eq!(scene.press(&[KeyCode::Esc, KeyCode::Tab]), None);
    assert_data_eq!(scene.text(80, 14), file!["tests/left-out.txt"]);
    assert_eq!(scene.press(&[KeyCode::Tab]), None);
    assert_data_eq!(scene.text(80, 14), file!["tests/lock.txt"]);
}

#[test]
fn one_agent_has_a_result_and_a_reason() {
    let mut scene = Scene::new();
    scene.press(&[KeyCode::Right, KeyCode::Down]);
    assert_data_eq!(scene.text(80, 16), file!["tests/agent.txt"]);
    scene.press(&[KeyCode::Left, KeyCode::Left]);
    assert_eq!(scene.screen.agent.as_deref(), Some("goose"));
    scene.press(&[KeyCode::Right]);
    assert_eq!(scene.screen.agent, None);
}

#[test]
fn details_explain_each_agent() {
    let mut scene = Scene::new();
    scene.press(&[KeyCode::Enter]);
    assert_data_eq!(scene.text(80, 12), file!["tests/details.txt"]);
    scene.press(&[KeyCode::End]);
    assert_data_eq!(scene.text(80, 12), file!["tests/details-end.txt"]);
    let opened = scene.type_text("o");
    let file = scene.home.path().join(".claude/skills/deploy/SKILL.md");
    assert_eq!(opened, Some(ScreenAction::Open(file.into())));
    scene.press(&[KeyCode::Esc]);
    scene.type_text("?");
    assert_data_eq!(scene.text(60, 20), file!["tests/help.txt"]);
}

#[test]
fn a_skill_is_turned_off_after_a_question() {
    let mut scene = Scene::new();
    assert_eq!(scene.type_text("d"), None);
    assert_eq!(
        scene.screen.message.as_deref(),
        Some("choose the agent first: press `a` or an arrow key")
    );
    scene.type_text("ad");
    assert_data_eq!(scene.text(80, 12), file!["tests/question.txt"]);
    assert_eq!(scene.type_text("n"), None);
    assert_eq!(
        scene.screen.message.as_deref(),
        Some("`deploy` stays as it is")
    );
    let Some(ScreenAction::Hide(setting)) = scene.type_text("dy") else {
        panic!("{:?}", scene.screen.dialog);
    };
    crate::settings_entry::write(&setting).unwrap_or_else(|failure| panic!("{failure:?}"));
    let status = Arc::new(survey(&scene.home));
    scene.screen.apply(ScreenEvent::Surveyed(Ok(status)));
    assert_data_eq!(scene.text(80, 16), file!["tests/turned-off.txt"]);
}

#[test]
fn an_agent_without_a_setting_says_so() {
    let mut scene = Scene::new();
    scene.press(&[KeyCode::Left]);
    scene.type_text("d");
    assert_eq!(
        scene.screen.message.as_deref(),
        Some(
            "no setting of goose turns off this skill alone; move `~/.agents/skills/deploy` to a folder that it does not read"
        )
    );
    scene.press(&[KeyCode::Right, KeyCode::Right, KeyCode::End]);
    scene.type_text("d");
    assert_eq!(scene.screen.message, None);
    scene.type_text("n/half");
    scene.press(&[KeyCode::Enter, KeyCode::Right, KeyCode::Right]);
    scene.type_text("d");
    assert_eq!(
        scene.screen.message.as_deref(),
        Some("goose does not load `half`")
    );
}

#[test]
fn the_selected_skill_stays_selected() {
    let mut scene = Scene::new();
    scene.type_text("jj");
    assert_eq!(scene.screen.selected_skill().as_deref(), Some("half"));
    skill(&scene.home, ".agents", "audit", "Comes first.");
    let status = Arc::new(survey(&scene.home));
    scene.screen.apply(ScreenEvent::Surveyed(Ok(status)));
    assert_eq!(scene.screen.selected_skill().as_deref(), Some("half"));
    fs::remove_dir_all(scene.home.path().join(".agents")).unwrap();
    let status = Arc::new(survey(&scene.home));
    scene.screen.apply(ScreenEvent::Surveyed(Ok(status)));
    assert_eq!(scene.screen.selected_skill().as_deref(), Some("greet"));
}

#[test]
fn each_key_to_quit_quits() {
    for key in [KeyCode::Char('q'), KeyCode::Esc] {
        assert_eq!(Scene::new().press(&[key]), Some(ScreenAction::Quit));
    }
    let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let mut scene = Scene::new();
    scene.type_text("/typing");
    let action = scene.screen.apply(ScreenEvent::Pressed(control));
    assert_eq!(action, Some(ScreenAction::Quit));
}

#[test]
fn a_screen_without_colours_has_no_style() {
    let mut scene = Scene::new();
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let drawn = |frame: &mut ratatui::Frame<'_>| draw(&mut scene.screen, false, frame);
    terminal.draw(drawn).unwrap();
    let cells = terminal.backend().buffer().content().iter();
    let styles = cells.map(|cell| (cell.fg, cell.bg, cell.modifier));
    let styles: std::collections::HashSet<_> = styles.collect();
    let plain = (Color::Reset, Color::Reset, Modifier::empty());
    assert_eq!(styles, [plain].into());
}

#[test]
fn a_failed_survey_is_a_message() {
    let mut scene = Scene::new();
    let failure = Failure::new("the lock cannot be read").help("repair it");
    scene.screen.apply(ScreenEvent::Surveyed(Err(failure)));
    let text = scene.text(80, 12);
    let last = text.lines().last();
    assert_eq!(last, Some("the lock cannot be read; repair it"));
    let written = Ok(WrittenFile {
        path: scene.home.path().join("a.json"),
        is_changed: true,
        backup: Some(PathBuf::from("/b.bak")),
    });
    scene.screen.apply(ScreenEvent::Written(written));
    assert_eq!(
        scene.screen.message.as_deref(),
        Some("changed `~/a.json`; the file before is `/b.bak`")
    );
}
