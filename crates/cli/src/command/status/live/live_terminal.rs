//! The terminal while the live screen has it.

use std::io::{self, Write};
use std::panic;
use std::sync::Arc;
use std::thread;

use anstyle::{AnsiColor, Color, Effects, Style};
use crossterm::cursor::{Hide, Show};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color as CellColor, Modifier, Style as CellStyle};
use ratatui::text::{Line, Span};
use ratatui::{Frame, Terminal};

use super::live_screen::LiveScreen;
use crate::Stream;
use crate::styled_line::StyledLine;

/// A terminal in raw mode, with the alternate screen. It is restored when this value is dropped, and before
/// the message of a panic of this thread.
pub(super) struct LiveTerminal<'a, 'w> {
    terminal: Terminal<CrosstermBackend<&'a mut Stream<'w>>>,
    is_coloured: bool,
    hook: PanicHook,
}

type PanicHook = Arc<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync>;

impl<'a, 'w> LiveTerminal<'a, 'w> {
    pub(super) fn enter(stdout: &'a mut Stream<'w>) -> io::Result<LiveTerminal<'a, 'w>> {
        let is_coloured = stdout.is_coloured();
        // `Stream` has decided already.
        crossterm::style::force_color_output(is_coloured);
        let hook: PanicHook = panic::take_hook().into();
        let (before, screen) = (hook.clone(), thread::current().id());
        panic::set_hook(Box::new(move |panic| {
            // The panic of a survey is a message of the screen, which stays.
            if thread::current().id() == screen {
                let _ = restore(&mut io::stdout());
                before(panic);
            }
        }));
        let mut entered = LiveTerminal {
            terminal: Terminal::new(CrosstermBackend::new(stdout))?,
            is_coloured,
            hook,
        };
        entered.enter_again()?;
        Ok(entered)
    }

    /// Takes the terminal back after [`leave`](LiveTerminal::leave).
    pub(super) fn enter_again(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(self.terminal.backend_mut(), EnterAlternateScreen, Hide)?;
        // Resizing clears the screen without asking for the cursor, which the keys would hide.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }

    /// Gives the terminal to a different program.
    pub(super) fn leave(&mut self) -> io::Result<()> {
        restore(self.terminal.backend_mut())
    }

    pub(super) fn draw(&mut self, screen: &mut LiveScreen) -> io::Result<()> {
        let is_coloured = self.is_coloured;
        self.terminal
            .draw(|frame| draw(screen, is_coloured, frame))
            .map(drop)
    }
}

impl Drop for LiveTerminal<'_, '_> {
    fn drop(&mut self) {
        let _ = self.leave();
        // A panicking thread cannot change the hook.
        if !thread::panicking() {
            let hook = self.hook.clone();
            panic::set_hook(Box::new(move |panic| hook(panic)));
        }
    }
}

fn restore(out: &mut impl Write) -> io::Result<()> {
    let cooked = disable_raw_mode();
    execute!(out, LeaveAlternateScreen, Show)?;
    cooked
}

/// Draws the lines of the screen for the size of the frame.
pub(super) fn draw(screen: &mut LiveScreen, is_coloured: bool, frame: &mut Frame<'_>) {
    let area = frame.area();
    screen.resize(area.width.into(), area.height.into());
    for (row, line) in (area.top()..area.bottom()).zip(screen.lines()) {
        let line = cell_line(&line, is_coloured);
        frame.buffer_mut().set_line(0, row, &line, area.width);
    }
}

fn cell_line(line: &StyledLine, is_coloured: bool) -> Line<'_> {
    let spans = line.parts().map(|(text, style)| match is_coloured {
        true => Span::styled(text, cell_style(style)),
        false => Span::raw(text),
    });
    Line::from(spans.collect::<Vec<_>>())
}

fn cell_style(style: Style) -> CellStyle {
    let mut cells = CellStyle::new();
    if let Some(Color::Ansi(color)) = style.get_fg_color() {
        cells = cells.fg(cell_color(color));
    }
    let effects = [
        (Effects::BOLD, Modifier::BOLD),
        (Effects::DIMMED, Modifier::DIM),
        (Effects::INVERT, Modifier::REVERSED),
    ];
    let used = effects.into_iter();
    let used = used.filter(|(effect, _)| style.get_effects().contains(*effect));
    used.fold(cells, |cells, (_, modifier)| cells.add_modifier(modifier))
}

fn cell_color(color: AnsiColor) -> CellColor {
    match color {
        AnsiColor::Red => CellColor::Red,
        AnsiColor::Green => CellColor::Green,
        AnsiColor::Yellow => CellColor::Yellow,
        AnsiColor::Cyan => CellColor::Cyan,
        // Screens use no others.
        _ => CellColor::Reset,
    }
}
