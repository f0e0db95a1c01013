//! `repertoire man`.

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::arguments::Arguments;
use crate::failure::Failure;

/// Print the manual page of this program, or of one of its commands.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command.
    command: Option<String>,
}

/// A manual page.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Manual {
    page: String,
    /// In roff.
    text: String,
    /// The commands that have a page.
    commands: Vec<String>,
}

impl Man {
    pub(crate) fn answer(&self) -> Result<impl Answer + use<>, Failure> {
        let mut all = Arguments::command().disable_help_subcommand(true);
        all.build();
        let commands: Vec<_> = all.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        let command = match &self.command {
            None => &all,
            Some(name) => all.find_subcommand(name).ok_or_else(|| {
                Failure::new(format!("unknown command `{name}`")).help(format!("known: {}", commands.join(", ")))
            })?,
        };
        let page = command.get_display_name().unwrap_or("repertoire").to_owned();
        let mut text = Vec::new();
        let source = concat!("repertoire ", env!("CARGO_PKG_VERSION"));
        let rendered = Page::new(command.clone()).source(source).render(&mut text);
        rendered.map_err(|error| Failure::io("cannot write the manual", &error))?;
        Ok(Manual { page, text: String::from_utf8_lossy(&text).into_owned(), commands })
    }
}

impl Answer for Manual {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }
}
