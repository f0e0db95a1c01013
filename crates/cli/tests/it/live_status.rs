//! `status --watch`, through a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use repertoire_cli::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::test_env::TestEnv;

/// The longest wait for a text, for slow machines.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program at a terminal of 80 columns and 24 rows.
pub(crate) struct TerminalRun {
    child: Child,
    master: File,
    /// The side of the program, so that the terminal outlives it.
    terminal: OwnedFd,
    before: Termios,
    screen: vt100::Parser,
}

impl TerminalRun {
    /// Starts `repertoire` in a session of its own.
    pub(crate) fn start(env: &TestEnv, arguments: &[&str]) -> TerminalRun {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)
            .expect("the terminal of the test works");
        grantpt(&master).expect("the terminal of the test works");
        unlockpt(&master).expect("the terminal of the test works");
        let path = ptsname(&master, Vec::new())
            .expect("the terminal of the test works")
            .into_string()
            .expect("the terminal of the test works");
        let open = || {
            File::options()
                .read(true)
                .write(true)
                .open(&path)
                .expect("the terminal of the test works")
        };
        let terminal = OwnedFd::from(open());
        tcsetwinsize(&master, size(80)).expect("the terminal of the test works");
        let own = env.command(arguments);
        // Without a session of its own, the program would have the terminal of the test.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(own.get_program());
        command.args(own.get_args());
        command.current_dir(env.here());
        for (name, value) in own.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .env("EDITOR", "sed -i s/staging/Mars/")
            .env_remove("VISUAL");
        command.env("PATH", "/usr/bin:/bin").env_remove("NO_COLOR");
        command.env("TERM", "xterm-256color");
        command.stdin(open()).stdout(open()).stderr(open());
        TerminalRun {
            before: tcgetattr(&terminal).expect("the terminal of the test works"),
            child: command.spawn().expect("the terminal of the test works"),
            master: File::from(master),
            terminal,
            screen: vt100::Parser::new(
                24.try_into().expect("the terminal of the test works"),
                80.try_into().expect("the terminal of the test works"),
                0,
            ),
        }
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until the screen holds a text.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !self.text().contains(text) {
            assert!(self.read(), "no `{text}` in:\n{}", self.text());
        }
    }

    /// Reads what the program wrote; returns `false` if it writes nothing more.
    fn read(&mut self) -> bool {
        let mut ready = [PollFd::new(&self.master, PollFlags::IN)];
        let patience = Timespec::try_from(PATIENCE).expect("the terminal of the test works");
        let mut bytes = [0; 4096];
        match poll(&mut ready, Some(&patience)) {
            Ok(1..) => {}
            _ => return false,
        }
        let length = self.master.read(&mut bytes).unwrap_or(0);
        self.screen.process(&bytes[..length]);
        length > 0
    }

    fn resize(&mut self, columns: u16) {
        tcsetwinsize(&self.master, size(columns)).expect("the terminal of the test works");
        let screen = self.screen.screen_mut();
        screen.set_size(
            24.try_into().expect("the terminal of the test works"),
            columns.try_into().expect("the terminal of the test works"),
        );
    }

    fn press(&mut self, keys: &str) {
        self.master
            .write_all(keys.as_bytes())
            .expect("the terminal of the test works");
    }

    /// Kills the program.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the program runs");
        self.child.wait().expect("the terminal of the test works");
    }

    /// Waits for the end, and checks that the terminal is as it was.
    #[track_caller]
    fn end(mut self) -> ExitStatus {
        while self.screen.screen().alternate_screen() {
            assert!(self.read(), "the screen stays:\n{}", self.text());
        }
        let status = self.child.wait().expect("the terminal of the test works");
        let after = tcgetattr(self.terminal.as_fd()).expect("the terminal of the test works");
        assert_eq!(after.local_modes, self.before.local_modes);
        assert_eq!(after.input_modes, self.before.input_modes);
        assert!(!self.screen.screen().hide_cursor(), "the cursor is visible");
        status
    }
}

fn size(columns: u16) -> Winsize {
    Winsize {
        ws_col: columns,
        ws_row: 24,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

fn home() -> TestEnv {
    let env = TestEnv::new();
    env.file("../home/.claude.json", "{}")
        .skill("../home/.claude/skills", "deploy", "Ships to staging.")
        .skill("../home/.claude/skills", "lint", "Runs linters.");
    env
}

#[test]
fn the_screen_follows_files_and_keys() {
    let env = home();
    let mut run = TerminalRun::start(&env, &["status", "--watch"]);
    run.wait_for("> deploy");
    // A new skill, and a changed one.
    env.skill("../home/.claude/skills", "audit", "Audits.");
    run.wait_for("audit");
    env.file(
        "../home/.claude/skills/lint/SKILL.md",
        "---\nname: [\n---\n",
    );
    run.press("\t");
    run.wait_for("lint (claude-code)");
    run.press("\t\t\t");
    // Search, details, editor.
    run.press("/deploy\r");
    run.wait_for("1 found");
    run.press("\r");
    run.wait_for("Ships to staging.");
    run.press("o");
    run.wait_for("Ships to Mars.");
    run.press("q");
    // One agent, and a skill turned off for it.
    run.press("a");
    run.wait_for("claude-code alone");
    run.press("d");
    run.wait_for("Turn off `deploy` for claude-code?");
    run.press("y");
    run.wait_for("hidden");
    let settings = env.here().join("../home/.claude/settings.json");
    assert_eq!(
        std::fs::read_to_string(settings).expect("the terminal of the test works"),
        "{\n  \"skillOverrides\": {\n    \"deploy\": \"off\"\n  }\n}\n"
    );
    run.resize(60);
    run.wait_for("0 %");
    run.press("?");
    run.wait_for("show the keys");
    run.press("?q");
    assert!(run.end().success());
}

#[test]
fn a_signal_restores_the_terminal() {
    let env = home();
    let mut run = TerminalRun::start(&env, &["status", "--watch", "--color", "never"]);
    run.wait_for("> deploy");
    let id = rustix::process::Pid::from_child(&run.child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM)
        .expect("the terminal of the test works");
    assert!(run.end().success());
}

#[test]
fn without_a_terminal_nothing_is_watched() {
    let env = home();
    let ran = env.run(&["status", "--watch"]);
    assert_eq!(ran.exit, Exit::Failure);
    assert_eq!(
        ran.stderr,
        "error: `--watch` needs a terminal for input and output\n |\n = help: leave `--watch` out, or run `repertoire watch` for lines of changes\n"
    );
    let json = env.run(&["status", "--watch", "--json"]).failure();
    assert!(json.starts_with("error: `--watch` is a screen"), "{json}");
}
