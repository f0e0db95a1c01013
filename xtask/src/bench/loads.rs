//! Loads of trees of skills, compared with floors and rivals.

use std::path::Path;

use super::child::Load;
use super::rounds::{Rounds, Turn};
use super::sample::{self, Sample};
use super::tree::Shape;
use super::{Bench, Figure, Goal, milliseconds, rival};
use crate::Failure;

/// The least percentage of right skills for a rival to be a measure of speed.
const RIGHT_PERCENT: usize = 90;

/// The most rounds of a tree of more than 10,000 skills.
const HUGE_ROUNDS: usize = 3;

impl Bench<'_> {
    /// Loads of flat trees: warm, once more, cold; and the rivals.
    pub(super) fn loads(&mut self) -> Result<(), Failure> {
        for count in self.sizes(if self.options.quick {
            &[200]
        } else {
            &[1_000, 10_000]
        }) {
            let tree = self.tree(Shape::Flat, count)?;
            let written = std::fs::read_to_string(sample::expected(&tree))?
                .lines()
                .count();
            let mut rounds = Rounds::default();
            let [floor, load, stat, again, saved] = [
                Load::FloorRead,
                Load::Warm,
                Load::FloorStat,
                Load::Again,
                Load::Saved,
            ]
            .map(|load| rounds.add(self.load(load, &tree)));
            let rivals: Vec<(&str, Turn)> = self
                .rivals
                .iter()
                .filter(|_| count <= 10_000)
                .map(|(name, program)| (*name, rounds.add(rival::command(program, &tree))))
                .collect();
            let most = if count > 10_000 {
                HUGE_ROUNDS
            } else {
                usize::MAX
            };
            self.measure(&mut rounds, self.rounds().min(most))?;
            let rivals = rivals.into_iter();
            let flat = FlatLoads {
                count,
                written,
                is_large: count == 10_000 || count == 200,
                floor: rounds.median(floor),
                load: rounds.median(load),
                stat: rounds.median(stat),
                again: rounds.median(again),
                saved: rounds.median(saved),
                rivals: rivals
                    .map(|(name, turn)| (name, rounds.median(turn)))
                    .collect(),
            };
            self.figures.extend(flat.own_figures());
            let bests = [
                flat.best_rival("cpu", "ms", |sample| milliseconds(sample.cpu)),
                flat.best_rival("wall", "ms", |sample| milliseconds(sample.wall)),
            ];
            let goal = |figure| flat.goal(figure, Goal::RatioAtLeast(2.5));
            self.figures.extend(bests.into_iter().flatten().map(goal));
            self.figures
                .extend(flat.best_rival("resident", "MB", |sample| sample.resident / 1e6));
            self.figures.extend(flat.rival_figures());
            if flat.is_large {
                self.cold(&tree, count)?;
            }
        }
        Ok(())
    }

    /// Loads of a tree that the system has forgotten.
    fn cold(&mut self, tree: &Path, count: usize) -> Result<(), Failure> {
        let mut rounds = Rounds::default();
        let [floor, load] =
            [Load::FloorCold, Load::Cold].map(|load| rounds.add(self.load(load, tree)));
        self.measure(&mut rounds, self.rounds())?;
        let [floor, load] = [floor, load].map(|turn| rounds.median(turn));
        let figure = Figure::new(
            format!("load-cold/wall/{count}"),
            milliseconds(load.wall),
            "ms",
        );
        self.figures.push(
            figure
                .against(milliseconds(floor.wall), "cold")
                .goal(Goal::RatioAtMost(1.5)),
        );
        Ok(())
    }

    /// Loads of a tree in which skills lie deep and among other files.
    pub(super) fn nested(&mut self) -> Result<(), Failure> {
        let count = if self.options.quick { 200 } else { 10_000 };
        let tree = self.tree(Shape::Nested, count)?;
        let mut rounds = Rounds::default();
        let [floor, load] =
            [Load::FloorWalk, Load::Warm].map(|load| rounds.add(self.load(load, &tree)));
        self.measure(&mut rounds, self.rounds())?;
        let [floor, load] = [floor, load].map(|turn| rounds.median(turn));
        for (name, load, floor) in [
            ("cpu", load.cpu, floor.cpu),
            ("wall", load.wall, floor.wall),
        ] {
            let figure = Figure::new(format!("nested/{name}/{count}"), milliseconds(load), "ms");
            self.figures.push(
                figure
                    .against(milliseconds(floor), "walk")
                    .goal(Goal::RatioAtMost(1.3)),
            );
        }
        Ok(())
    }
}

/// The medians of the loads of one flat tree.
struct FlatLoads {
    count: usize,
    /// The number of skills in the tree.
    written: usize,
    is_large: bool,
    floor: Sample,
    load: Sample,
    stat: Sample,
    again: Sample,
    saved: Sample,
    rivals: Vec<(&'static str, Sample)>,
}

impl FlatLoads {
    fn own_figures(&self) -> [Figure; 9] {
        let FlatLoads {
            count,
            floor,
            load,
            stat,
            again,
            saved,
            ..
        } = self;
        let of_load = |name, value, floor| self.ratio(name, value, floor, "read", 2.0);
        let resident = Figure::new(format!("load/resident/{count}"), load.resident / 1e6, "MB");
        let of_again = |name, value, floor| self.ratio(name, value, floor, "stat", 1.5);
        [
            Figure::new(
                format!("floor/read/cpu/{count}"),
                milliseconds(floor.cpu),
                "ms",
            ),
            of_load("load/cpu", load.cpu, floor.cpu),
            of_load("load/wall", load.wall, floor.wall),
            Figure::new(format!("load/right/{count}"), load.right as f64, "skills")
                .goal(Goal::AtLeast(self.written as f64)),
            of_again("again/cpu", again.cpu, stat.cpu),
            of_again("again/wall", again.wall, stat.wall),
            of_again("saved/cpu", saved.cpu, stat.cpu),
            of_again("saved/wall", saved.wall, stat.wall),
            match count {
                100_000 => resident.goal(Goal::AtMost(110.0)),
                _ => self.goal(resident, Goal::AtMost(11.0)),
            },
        ]
    }

    fn ratio(
        &self,
        name: &str,
        seconds: f64,
        floor: f64,
        floor_name: &'static str,
        most: f64,
    ) -> Figure {
        let name = format!("{name}/{}", self.count);
        let figure = Figure::new(name, milliseconds(seconds), "ms");
        self.goal(
            figure.against(milliseconds(floor), floor_name),
            Goal::RatioAtMost(most),
        )
    }

    /// Returns `figure` with its goal, which is set for the large tree.
    fn goal(&self, figure: Figure, goal: Goal) -> Figure {
        if self.is_large {
            figure.goal(goal)
        } else {
            figure
        }
    }

    /// Returns the least value of the rivals that find most of the skills.
    fn best_rival(
        &self,
        name: &str,
        unit: &'static str,
        part: fn(&Sample) -> f64,
    ) -> Option<Figure> {
        let best = self
            .rivals
            .iter()
            .filter(|(_, sample)| sample.right * 100 >= self.written * RIGHT_PERCENT)
            .map(|(_, sample)| part(sample))
            .min_by(f64::total_cmp)?;
        let name = format!("rivals/best/{name}/{}", self.count);
        Some(Figure::new(name, best, unit).against(part(&self.load), "our load"))
    }

    fn rival_figures(&self) -> impl Iterator<Item = Figure> {
        self.rivals.iter().flat_map(|(name, sample)| {
            let figure = |part: &str, value, unit| {
                Figure::new(format!("rivals/{name}/{part}/{}", self.count), value, unit)
            };
            [
                figure("cpu", milliseconds(sample.cpu), "ms")
                    .against(milliseconds(self.floor.cpu), "read"),
                figure("wall", milliseconds(sample.wall), "ms")
                    .against(milliseconds(self.floor.wall), "read"),
                figure("resident", sample.resident / 1e6, "MB"),
                figure("right", sample.right as f64, "skills"),
            ]
        })
    }
}
