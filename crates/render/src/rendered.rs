//! Rendered bodies.

use std::borrow::Cow;

use crate::plan::{LineCounter, Placeholder, PlaceholderKind};
use crate::substitution::Substitution;
use crate::{
    Context, Dialect, Directive, DirectiveAction, DirectiveOutcome, Plan, Refusal, Unknown, Warning,
};

/// A rendered body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderOutput<'b> {
    /// The text; the body itself if it has no placeholders.
    pub text: Cow<'b, str>,
    /// The outcomes of the [directives](Plan::directives), in their order.
    pub outcomes: Vec<DirectiveOutcome>,
    /// Warnings for the author.
    pub warnings: Vec<Warning>,
}

/// The error of a body that is not rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// Under [`Unknown::Error`]: a variable is unknown.
    #[error("line {line}: unknown variable `{name}`")]
    UnknownVariable {
        /// The line of the body.
        line: usize,
        /// The name of the variable.
        name: String,
    },
    /// With [`Context::abort_on_refusal`]: a directive may not run.
    #[error("line {}: `{directive}` may not run: {refusal}", directive.line)]
    Refused {
        /// The directive.
        directive: Box<Directive>,
        /// The reason.
        refusal: Refusal,
    },
}

impl<'b> Plan<'b> {
    /// Renders the body. A directive without an item in `outcomes` was refused by [`Refusal::Off`].
    ///
    /// The parts are concatenated in one pass, so no placeholder is found in inserted text.
    ///
    /// # Errors
    /// Returns an error that the policies of `context` ask for: an unknown variable, a refused directive.
    pub fn render(
        &self,
        context: &Context,
        outcomes: impl IntoIterator<Item = DirectiveOutcome>,
    ) -> Result<RenderOutput<'b>, RenderError> {
        let off = std::iter::repeat_with(|| DirectiveOutcome::Refused { by: Refusal::Off });
        let outcomes: Vec<_> = outcomes
            .into_iter()
            .chain(off)
            .take(self.directives().len())
            .collect();
        if context.aborts_on_refusal {
            self.refuse(&outcomes)?;
        }
        let mut writer = BodyWriter {
            plan: self,
            context,
            last_argument: self.last_argument(),
            text: String::new(),
            written: 0,
            took_arguments: false,
            warnings: self.warnings.clone(),
            line: LineCounter::new(self.body),
        };
        for placeholder in &self.placeholders {
            writer.write(placeholder, &outcomes)?;
        }
        let (text, warnings) = writer.finish();
        Ok(RenderOutput {
            text,
            outcomes,
            warnings,
        })
    }

    fn refuse(&self, outcomes: &[DirectiveOutcome]) -> Result<(), RenderError> {
        for (directive, outcome) in self.directives().iter().zip(outcomes) {
            if let DirectiveOutcome::Refused { by } = outcome {
                return Err(RenderError::Refused {
                    directive: Box::new(directive.clone()),
                    refusal: by.clone(),
                });
            }
        }
        Ok(())
    }

    /// Returns the argument that also takes all later ones.
    fn last_argument(&self) -> Option<usize> {
        let arguments = self
            .placeholders
            .iter()
            .filter_map(|placeholder| match placeholder.kind {
                PlaceholderKind::Argument(number) => Some(number),
                _ => None,
            });
        arguments
            .max()
            .filter(|_| self.dialect == Dialect::OpenCode)
    }
}

struct BodyWriter<'p, 'b> {
    plan: &'p Plan<'b>,
    context: &'p Context,
    last_argument: Option<usize>,
    text: String,
    /// The length of the body that is in `text`.
    written: usize,
    took_arguments: bool,
    warnings: Vec<Warning>,
    line: LineCounter<'b>,
}

impl<'p, 'b> BodyWriter<'p, 'b> {
    fn write(
        &mut self,
        placeholder: &Placeholder,
        outcomes: &[DirectiveOutcome],
    ) -> Result<(), RenderError> {
        let Placeholder { range, kind } = placeholder;
        let written = &self.plan.body[range.clone()];
        let value = match *kind {
            PlaceholderKind::Escaped => Some(written[1..].into()),
            PlaceholderKind::Arguments => {
                self.took_arguments = true;
                Some(self.context.arguments.raw().into())
            }
            PlaceholderKind::Argument(index) => self.argument(index, range.start, written),
            PlaceholderKind::Named(index) => {
                self.took_arguments = true;
                Some(
                    self.context
                        .arguments
                        .words()
                        .get(index)
                        .map_or("", String::as_str)
                        .into(),
                )
            }
            PlaceholderKind::Variable => self
                .variable(range.start, &written[2..written.len() - 1])?
                .map(Cow::from),
            PlaceholderKind::SkillDir => self
                .built_in(Context::SKILL_DIR, range.start, written)
                .map(Cow::from),
            PlaceholderKind::Directive(index) => {
                self.literal(range.start);
                let (directive, after) =
                    (&self.plan.directives()[index], &self.plan.body[range.end..]);
                let begin = self.text.len();
                Substitution { directive, written }.write(&outcomes[index], after, &mut self.text);
                if let DirectiveAction::Script { path, .. } = &directive.action
                    && self.text[begin..].trim().is_empty()
                {
                    let message = format!("script `{path}` printed nothing to standard output");
                    self.warnings.push(Warning::new(directive.line, message));
                }
                self.written = range.end;
                return Ok(());
            }
        };
        if let Some(value) = value {
            self.literal(range.start);
            self.text.push_str(&value);
            self.written = range.end;
        }
        Ok(())
    }

    fn argument(&mut self, index: usize, at: usize, written: &str) -> Option<Cow<'p, str>> {
        let words = self.context.arguments.words();
        let Some(word) = words.get(index) else {
            self.warn(at, format!("there is no argument for `{written}`"));
            return None;
        };
        self.took_arguments = true;
        Some(if self.last_argument == Some(index) {
            words[index..].join(" ").into()
        } else {
            word.into()
        })
    }

    /// Returns the value of `${name}`, or `None` if the placeholder is unchanged.
    fn variable(&mut self, at: usize, name: &str) -> Result<Option<&'p str>, RenderError> {
        if Context::is_built_in(name) {
            self.took_arguments |= name == Context::ARGUMENTS;
            return Ok(self.built_in(name, at, name));
        }
        if let Some(value) = self.context.get(name) {
            return Ok(Some(value));
        }
        match self.context.unknown {
            Unknown::Keep => Ok(None),
            Unknown::Empty => {
                self.warn(at, format!("unknown variable `{name}`"));
                Ok(Some(""))
            }
            Unknown::Error => Err(RenderError::UnknownVariable {
                line: self.line.line(at),
                name: name.to_owned(),
            }),
        }
    }

    fn built_in(&mut self, name: &str, at: usize, written: &str) -> Option<&'p str> {
        let value = self.context.get(name);
        if value.is_none() {
            self.warn(at, format!("there is no value for `{written}` here"));
        }
        value
    }

    fn warn(&mut self, at: usize, message: String) {
        let line = self.line.line(at);
        self.warnings.push(Warning::new(line, message));
    }

    fn literal(&mut self, until: usize) {
        self.text.push_str(&self.plan.body[self.written..until]);
    }

    fn finish(mut self) -> (Cow<'b, str>, Vec<Warning>) {
        let Context {
            arguments,
            drops_unused,
            ..
        } = self.context;
        let body = self.plan.body;
        let appends = !drops_unused && !self.took_arguments && !arguments.raw().trim().is_empty();
        if self.written == 0 && !appends {
            return (body.into(), self.warnings);
        }
        self.literal(body.len());
        if appends {
            let gap = match self.text.as_bytes() {
                [] | [.., b'\n', b'\n'] => "",
                [.., b'\n'] => "\n",
                _ => "\n\n",
            };
            self.text.push_str(gap);
            self.text.push_str("ARGUMENTS: ");
            self.text.push_str(arguments.raw());
            self.text.push('\n');
        }
        (self.text.into(), self.warnings)
    }
}
