//! Rendered bodies.

use std::borrow::Cow;

use repertoire_core::Digest;

use crate::plan::Line;
use crate::substitution::Substitution;
use crate::{
    Action, Context, Directive, ExtraArguments, OnRefusal, Outcome, PlaceholderKind, Plan, Refusal, Unknown, Unplaced,
    Warning,
};

/// A rendered body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rendered<'b> {
    /// The text; the body itself if it has no placeholders.
    pub text: Cow<'b, str>,
    /// The outcomes of the [directives](Plan::directives), in their order.
    pub outcomes: Vec<Outcome>,
    /// Warnings for the author.
    pub warnings: Vec<Warning>,
}

/// The error of a body that is not rendered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    /// Under [`OnRefusal::Abort`]: a directive may not run.
    #[error("line {}: `{directive}` may not run: {refusal}", directive.line)]
    Refused {
        /// The directive.
        directive: Box<Directive>,
        /// The reason.
        refusal: Refusal,
    },
}

impl Rendered<'_> {
    /// Returns the SHA-256 of the text, by which a session knows it again.
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }
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
        outcomes: impl IntoIterator<Item = Outcome>,
    ) -> Result<Rendered<'b>, RenderError> {
        let off = std::iter::repeat_with(|| Outcome::Refused { by: Refusal::Off });
        let outcomes: Vec<_> = outcomes.into_iter().chain(off).take(self.directives().len()).collect();
        if context.on_refusal == OnRefusal::Abort {
            self.refuse(&outcomes)?;
        }
        let mut writer = Writer {
            plan: self,
            context,
            text: String::new(),
            written: 0,
            took_arguments: false,
            warnings: self.warnings.clone(),
            line: Line::start(),
        };
        writer.write(&outcomes)?;
        let (text, warnings) = writer.finish();
        Ok(Rendered { text, outcomes, warnings })
    }

    fn refuse(&self, outcomes: &[Outcome]) -> Result<(), RenderError> {
        let mut pairs = self.directives().iter().zip(outcomes);
        let refused = pairs.find_map(|(directive, outcome)| match outcome {
            Outcome::Refused { by } => Some((directive, by)),
            _ => None,
        });
        match refused {
            Some((directive, by)) => {
                Err(RenderError::Refused { directive: Box::new(directive.clone()), refusal: by.clone() })
            }
            None => Ok(()),
        }
    }
}

struct Writer<'p, 'b, 'c> {
    plan: &'p Plan<'b>,
    context: &'c Context,
    text: String,
    /// The length of the body that is in `text`.
    written: usize,
    took_arguments: bool,
    warnings: Vec<Warning>,
    line: Line,
}

impl<'b, 'c> Writer<'_, 'b, 'c> {
    fn write(&mut self, outcomes: &[Outcome]) -> Result<(), RenderError> {
        let last = self.plan.placeholders.iter().filter_map(|placeholder| match placeholder.kind {
            PlaceholderKind::Argument(number) => Some(number),
            _ => None,
        });
        let last = last.max().filter(|_| self.plan.syntax.dialect.extra == ExtraArguments::JoinsLast);
        for (number, placeholder) in self.plan.placeholders.iter().enumerate() {
            let written = &self.plan.body[placeholder.range.clone()];
            let Context { arguments, .. } = self.context;
            let value: Cow<'c, str> = match placeholder.kind {
                PlaceholderKind::Escaped => written[1..].to_owned().into(),
                PlaceholderKind::Arguments => {
                    self.took_arguments = true;
                    arguments.raw().into()
                }
                PlaceholderKind::Argument(index) if index < arguments.words().len() => {
                    self.took_arguments = true;
                    match last {
                        Some(last) if last == index => arguments.words()[index..].join(" ").into(),
                        _ => arguments.words()[index].as_str().into(),
                    }
                }
                PlaceholderKind::Argument(_) => {
                    let (line, placeholder) = (self.line(placeholder.range.start), written.to_owned());
                    self.warnings.push(Warning::MissingArgument { line, placeholder });
                    continue;
                }
                PlaceholderKind::Named(index) => {
                    self.took_arguments = true;
                    arguments.words().get(index).map_or("", String::as_str).into()
                }
                PlaceholderKind::Variable => match self.variable(number)? {
                    Some(value) => value.into(),
                    None => continue,
                },
                PlaceholderKind::SkillDir => match self.context.get(Context::SKILL_DIR) {
                    Some(value) => value.into(),
                    None => {
                        let (line, name) = (self.line(placeholder.range.start), written.to_owned());
                        self.warnings.push(Warning::NoValue { line, name });
                        continue;
                    }
                },
                PlaceholderKind::Directive(index) => {
                    self.literal(placeholder.range.start);
                    let directive = &self.plan.directives()[index];
                    let after = &self.plan.body[placeholder.range.end..];
                    let begin = self.text.len();
                    Substitution { directive, written }.write(&outcomes[index], after, &mut self.text);
                    if let Action::Script { path, .. } = &directive.action
                        && self.text[begin..].trim().is_empty()
                    {
                        self.warnings.push(Warning::NoOutput { line: directive.line, path: path.clone() });
                    }
                    self.written = placeholder.range.end;
                    continue;
                }
            };
            self.literal(placeholder.range.start);
            self.text.push_str(&value);
            self.written = placeholder.range.end;
        }
        Ok(())
    }

    /// Returns the value of the variable in the placeholder of this number, or `None` if that is unchanged.
    fn variable(&mut self, number: usize) -> Result<Option<&'c str>, RenderError> {
        let range = self.plan.placeholders[number].range.clone();
        let name = &self.plan.body[range.start + 2..range.end - 1];
        if let Some(value) = self.context.get(name) {
            self.took_arguments |= name == Context::ARGUMENTS;
            return Ok(Some(value));
        }
        if Context::is_built_in(name) {
            let warning = Warning::NoValue { line: self.line(range.start), name: name.to_owned() };
            self.warnings.push(warning);
            return Ok(None);
        }
        match self.context.unknown {
            Unknown::Keep => Ok(None),
            Unknown::Empty => {
                let warning = Warning::UnknownVariable { line: self.line(range.start), name: name.to_owned() };
                self.warnings.push(warning);
                Ok(Some(""))
            }
            Unknown::Error => Err(RenderError::UnknownVariable { line: self.line(range.start), name: name.to_owned() }),
        }
    }

    /// Appends the body up to a byte.
    fn literal(&mut self, until: usize) {
        self.text.push_str(&self.plan.body[self.written..until]);
    }

    fn line(&mut self, at: usize) -> usize {
        self.line.of(self.plan.body, at)
    }

    fn finish(mut self) -> (Cow<'b, str>, Vec<Warning>) {
        let Context { arguments, unplaced, .. } = self.context;
        let body = self.plan.body;
        let appends = *unplaced == Unplaced::Append && !self.took_arguments && !arguments.is_empty();
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
