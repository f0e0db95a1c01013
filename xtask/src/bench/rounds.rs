//! Samples of many loads, taken in turns, so that a noisy minute hits all of them alike.

use std::process::Command;

use super::median;
use super::sample::Sample;
use crate::Failure;

/// Loads to measure, and their samples.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    runs: Vec<(Command, Vec<Sample>)>,
}

/// A load among others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn(usize);

impl Rounds {
    /// Adds a load: a program that prints a sample.
    pub(super) fn add(&mut self, command: Command) -> Turn {
        self.runs.push((command, Vec::new()));
        Turn(self.runs.len() - 1)
    }

    /// Runs every load `rounds` times, one after another in each round.
    pub(super) fn run(&mut self, rounds: usize) -> Result<(), Failure> {
        for _ in 0..rounds {
            for (command, samples) in &mut self.runs {
                samples.push(parsed(command)?);
            }
        }
        Ok(())
    }

    /// The median of each part of a load's samples.
    pub(super) fn median(&self, turn: Turn) -> Sample {
        let samples = &self.runs[turn.0].1;
        let last = samples.last().copied().unwrap_or_default();
        let of = |part: fn(&Sample) -> f64| median(samples.iter().map(part));
        Sample {
            wall: of(|sample| sample.wall),
            cpu: of(|sample| sample.cpu),
            resident: of(|sample| sample.resident),
            // The same in every round.
            ..last
        }
    }
}

/// Parses the output of a child.
pub(super) fn parsed<T: serde::de::DeserializeOwned>(command: &mut Command) -> Result<T, Failure> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!(
            "{command:?} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
