//! One measured figure, and whether it is what was asked for.

use std::fmt;

use serde::{Serialize, Serializer};

/// A figure. As JSON, one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Figure {
    /// The name: parts from the general to the special, separated by `/`.
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// The value as a multiple of the reference [`of`](Figure::of).
    pub(crate) ratio: Option<f64>,
    /// The reference of the ratio.
    pub(crate) of: Option<&'static str>,
    pub(crate) goal: Option<Goal>,
    /// Returns whether the goal is met, or `None` without a goal.
    pub(crate) holds: Option<bool>,
}

/// The goal of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// A ratio of this or less.
    RatioAtMost(f64),
    /// A ratio of this or more.
    RatioAtLeast(f64),
    /// A value of this or less.
    AtMost(f64),
    /// A value of this or more.
    AtLeast(f64),
}

impl Figure {
    /// A value alone.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Figure {
        Figure {
            name: name.into(),
            value,
            unit,
            ratio: None,
            of: None,
            goal: None,
            holds: None,
        }
    }

    /// The same figure as a multiple of `reference`, which `of` describes.
    pub(crate) fn against(mut self, reference: f64, of: &'static str) -> Figure {
        self.ratio = Some(self.value / reference);
        self.of = Some(of);
        self
    }

    /// The same figure with a goal.
    pub(crate) fn goal(mut self, goal: Goal) -> Figure {
        self.holds = Some(match (goal, self.ratio) {
            (Goal::AtMost(most), _) => self.value <= most,
            (Goal::AtLeast(least), _) => self.value >= least,
            (Goal::RatioAtMost(most), Some(ratio)) => ratio <= most,
            (Goal::RatioAtLeast(least), Some(ratio)) => ratio >= least,
            (_, None) => false,
        });
        self.goal = Some(goal);
        self
    }

    /// Returns `yes`, `NO`, or an empty text without a goal.
    pub(crate) fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        }
    }

    /// The value for people.
    pub(crate) fn shown_value(&self) -> String {
        let value = match self.value.fract() {
            0.0 => self.value.to_string(),
            _ => three_digits(self.value),
        };
        format!("{value} {}", self.unit)
    }

    /// The ratio for people.
    pub(crate) fn shown_ratio(&self) -> String {
        match (self.ratio, self.of) {
            (Some(ratio), Some(of)) => format!("{} x {of}", three_digits(ratio)),
            _ => String::new(),
        }
    }

    /// The goal for people.
    pub(crate) fn shown_goal(&self) -> String {
        self.goal.map_or_else(String::new, |goal| goal.to_string())
    }
}

/// Returns `value` with three digits, or with more if the part before the point has more.
pub(super) fn three_digits(value: f64) -> String {
    let before = match value {
        0.0 => 0.0,
        value => value.abs().log10().floor(),
    };
    let decimals = (2.0 - before).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, ratio, goal) = (self.shown_value(), self.shown_ratio(), self.shown_goal());
        let line = format!(
            "{:<40} {value:>18}  {ratio:<32} {goal:<10} {}",
            self.name,
            self.verdict()
        );
        f.write_str(line.trim_end())
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::RatioAtMost(most) => write!(f, "<= {most:.1} x"),
            Goal::RatioAtLeast(least) => write!(f, ">= {least:.1} x"),
            Goal::AtMost(most) => write!(f, "<= {most}"),
            Goal::AtLeast(least) => write!(f, ">= {least}"),
        }
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_limits_ratio_or_value() {
        let figure = Figure::new("load", 30.0, "ms").against(20.0, "floor");
        for (goal, holds) in [
            (Goal::RatioAtMost(1.5), true),
            (Goal::RatioAtMost(1.4), false),
            (Goal::RatioAtLeast(1.5), true),
            (Goal::RatioAtLeast(1.6), false),
            (Goal::AtMost(30.0), true),
            (Goal::AtMost(29.0), false),
            (Goal::AtLeast(31.0), false),
        ] {
            assert_eq!(figure.clone().goal(goal).holds, Some(holds), "{goal}");
        }
        assert_eq!(
            Figure::new("load", 30.0, "ms")
                .goal(Goal::RatioAtMost(9.0))
                .holds,
            Some(false),
            "no ratio, no goal"
        );
    }

    #[test]
    fn values_have_three_digits() {
        let values = [98_009.1, 368.52, 95.46, 2.2, 0.293, 0.030_04];
        assert_eq!(
            values.map(three_digits),
            ["98009", "369", "95.5", "2.20", "0.293", "0.0300"]
        );
        assert_eq!(Figure::new("skills", 9_991.0, "").shown_value(), "9991 ");
    }

    #[test]
    fn a_figure_is_one_line_of_json() {
        let figure = Figure::new("load", 30.0, "ms")
            .against(20.0, "floor")
            .goal(Goal::RatioAtMost(2.0));
        let line = serde_json::to_string(&figure).expect("a figure is data");
        assert_eq!(
            line,
            r#"{"name":"load","value":30.0,"unit":"ms","ratio":1.5,"of":"floor","goal":"<= 2.0 x","holds":true}"#
        );
        assert_eq!(
            figure.to_string(),
            "load                                                  30 ms  1.50 x floor                     <= 2.0 x   yes"
        );
    }
}
