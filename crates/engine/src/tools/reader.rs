//! Readers of bodies and files.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use repertoire_core::{
    Bytes, Digest, Resource, ResourcePath, Skill, SourceError, SourceErrorKind, async_trait,
};
use repertoire_registry::{Candidate, SkillRegistry};
use repertoire_render::{
    Arguments, Binding, Context, Dialect, Directive, DirectiveOutcome, Plan, RenderError,
    RenderOutput, Syntax, Warning,
};

/// A reader of skills: a registry, a [`Renderer`] over it, or the host's own.
#[async_trait]
pub trait SkillReader: Send + Sync {
    /// Returns the instructions of `candidate`, rendered with `arguments`, which are empty if there are none.
    ///
    /// # Errors
    /// The source's own, and what the reader refuses to render.
    async fn body(
        &self,
        candidate: &Candidate<Skill>,
        arguments: &str,
    ) -> Result<Instructions, SourceError>;

    /// Returns the files of the skill, sorted by path.
    ///
    /// # Errors
    /// The source's own.
    async fn resources(&self, candidate: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError>;

    /// Returns one of these files.
    ///
    /// # Errors
    /// The source's own.
    async fn resource(
        &self,
        candidate: &Candidate<Skill>,
        path: &ResourcePath,
    ) -> Result<Bytes, SourceError>;
}

#[async_trait]
impl SkillReader for SkillRegistry {
    async fn body(
        &self,
        candidate: &Candidate<Skill>,
        arguments: &str,
    ) -> Result<Instructions, SourceError> {
        Renderer::new(self.clone()).body(candidate, arguments).await
    }

    async fn resources(&self, candidate: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        match SkillRegistry::resources(self, candidate).await {
            // A source without files has no file.
            Err(error) if error.kind() == SourceErrorKind::Unsupported => Ok(Vec::new()),
            other => other,
        }
    }

    async fn resource(
        &self,
        candidate: &Candidate<Skill>,
        path: &ResourcePath,
    ) -> Result<Bytes, SourceError> {
        SkillRegistry::resource(self, candidate, path).await
    }
}

/// The instructions of a skill, as a [`SkillReader`] returns them. A reader that does not render converts a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Instructions {
    /// The text for the model, without a wrapper.
    pub text: String,
    /// The outcomes of the commands and scripts, in their order.
    pub outcomes: Vec<DirectiveOutcome>,
    /// Warnings for the author.
    pub warnings: Vec<Warning>,
}

impl Instructions {
    /// Returns whether a command ran for this text, so that the next one can be different.
    pub(super) fn ran_any(&self) -> bool {
        self.outcomes
            .iter()
            .any(|outcome| matches!(outcome, DirectiveOutcome::Ran(_)))
    }
}

impl<T: Into<String>> From<T> for Instructions {
    fn from(text: T) -> Instructions {
        Instructions {
            text: text.into(),
            ..Instructions::default()
        }
    }
}

impl Instructions {
    pub(super) fn rendered(rendered: RenderOutput<'_>) -> Instructions {
        let RenderOutput {
            text,
            outcomes,
            warnings,
            ..
        } = rendered;
        Instructions {
            text: text.into_owned(),
            outcomes,
            warnings,
        }
    }
}

/// A runner of the commands and scripts of bodies: `ApprovedCommands` of the feature `process`, or a sandbox of the host.
///
/// # Contract
/// - The implementation decides which directives may run, by [`ApprovalState::permit`](repertoire_render::ApprovalState::permit).
/// - It returns one outcome for each directive, in their order. A missing outcome counts as refused.
#[async_trait]
pub trait CommandRunner: Debug + Send + Sync {
    /// Runs the commands and scripts of the body of `candidate`. An approval of them has `binding`.
    async fn run(
        &self,
        candidate: &Candidate<Skill>,
        directives: &[Directive],
        context: &Context,
        binding: &Binding,
    ) -> Vec<DirectiveOutcome>;
}

/// A [`SkillReader`] over a registry that renders bodies.
///
/// It inserts variables and arguments. A note replaces each command and script, unless a [runner](Renderer::commands) runs them. A
/// body without placeholders is returned byte for byte.
///
/// ```
/// use repertoire_core::Skill;
/// use repertoire_engine::tools::{SkillReader, Renderer};
/// use repertoire_registry::{MemorySource, Registered, SkillRegistry};
/// use repertoire_render::Context;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let home = MemorySource::new("home");
/// let skill = Skill::new("review".parse()?, "Reviews a change.").from_location("/skills/review/SKILL.md");
/// home.register(Registered::new(skill, "Review $ARGUMENTS by ${SKILL_DIR}/rules.md in ${TONE}.\n"))?;
/// let registry = SkillRegistry::builder().user(home).load().await?;
///
/// let reader = Renderer::new(registry.clone()).context(Context::new().variable("TONE", "a friendly tone"));
/// let review = registry.get("review").ok_or("no skill")?;
/// let read = reader.body(&review.candidate, "src/").await?;
/// assert_eq!(read.text, "Review src/ by /skills/review/rules.md in a friendly tone.\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Renderer {
    registry: SkillRegistry,
    context: Context,
    dialect: Option<Dialect>,
    dialects: BTreeMap<Box<str>, Dialect>,
    variables: Vec<SourceVariable>,
    commands: Option<Arc<dyn CommandRunner>>,
}

#[derive(Clone)]
struct SourceVariable {
    source: Box<str>,
    name: Box<str>,
    value: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

impl fmt::Debug for SourceVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, self.name)
    }
}

impl Renderer {
    /// Creates a reader over `registry` whose only variable is the folder of a skill, and that runs nothing.
    pub fn new(registry: SkillRegistry) -> Renderer {
        let (context, dialects) = (Context::new(), BTreeMap::new());
        Renderer {
            registry,
            context,
            dialect: None,
            dialects,
            variables: Vec::new(),
            commands: None,
        }
    }

    /// Sets the context of every body. The arguments and the folder of a skill override it.
    #[must_use]
    pub fn context(mut self, context: Context) -> Renderer {
        self.context = context;
        self
    }

    /// Sets the dialect of bodies without one of their source or skill.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Renderer {
        self.dialect = Some(dialect);
        self
    }

    /// Sets the dialect of every body of one source. It overrides the dialects of skills.
    #[must_use]
    pub fn source_dialect(mut self, source: impl Into<Box<str>>, dialect: Dialect) -> Renderer {
        self.dialects.insert(source.into(), dialect);
        self
    }

    /// Adds a variable for every body of one source, such as the folder of a plugin.
    ///
    /// `value` is called for each body, because a plugin can move while the reader is in use. A variable of the
    /// [context](Renderer::context) overrides it.
    #[must_use]
    pub fn source_variable(
        mut self,
        source: impl Into<Box<str>>,
        name: impl Into<Box<str>>,
        value: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Renderer {
        self.variables.push(SourceVariable {
            source: source.into(),
            name: name.into(),
            value: Arc::new(value),
        });
        self
    }

    /// Sets the runner of commands and scripts.
    #[must_use]
    pub fn commands(mut self, commands: Arc<dyn CommandRunner>) -> Renderer {
        self.commands = Some(commands);
        self
    }

    /// Returns the binding of an approval of the commands and scripts of `candidate`, whose `SKILL.md` has the digest `skill_md`.
    ///
    /// Reads all other files of the skill again.
    ///
    /// # Errors
    /// The source's own.
    pub async fn binding(
        &self,
        candidate: &Candidate<Skill>,
        skill_md: Digest,
    ) -> Result<Binding, SourceError> {
        let binding = Binding::new(
            candidate.qualified_id(),
            skill_md,
            &self.registry.manifest(candidate).await?,
        );
        Ok(match folder(&candidate.item) {
            Some(folder) => binding.in_folder(folder.to_string_lossy()),
            None => binding,
        })
    }
}

#[async_trait]
impl SkillReader for Renderer {
    /// # Errors
    /// The source's own; [`Denied`](SourceErrorKind::Denied) and [`Invalid`](SourceErrorKind::Invalid) where the
    /// [context](Renderer::context) asks for it: a directive was refused, or a variable is unknown.
    async fn body(
        &self,
        candidate: &Candidate<Skill>,
        arguments: &str,
    ) -> Result<Instructions, SourceError> {
        let body = self.registry.body(candidate).await?;
        let source = self.dialects.get(candidate.origin.source.as_ref()).copied();
        let plan = Plan::new(
            &body.text,
            &Syntax::from_skill(&candidate.item, source, self.dialect),
        );
        let folder = folder(&candidate.item);
        let context = self
            .context
            .clone()
            .arguments(Arguments::new(arguments.trim()));
        let context = match folder {
            Some(folder) => context.skill_dir(folder.to_string_lossy()),
            None => context,
        };
        let of_source = self
            .variables
            .iter()
            .filter(|variable| *variable.source == *candidate.origin.source);
        let context = of_source.fold(context, |context, variable| match (variable.value)() {
            Some(value) => context.skill_variable(&*variable.name, value),
            None => context,
        });
        let outcomes = match (&self.commands, plan.directives()) {
            (None, _) | (_, []) => Vec::new(),
            (Some(commands), directives) => {
                let binding = self.binding(candidate, body.digest).await?;
                commands
                    .run(candidate, directives, &context, &binding)
                    .await
            }
        };
        let rendered = plan.render(&context, outcomes).map_err(|error| {
            let kind = match error {
                RenderError::Refused { .. } => SourceErrorKind::Denied,
                _ => SourceErrorKind::Invalid,
            };
            SourceError::new(
                kind,
                format!("cannot render `{}`", candidate.qualified_id()),
            )
            .caused_by(error)
        })?;
        Ok(Instructions::rendered(rendered))
    }

    async fn resources(&self, candidate: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        SkillReader::resources(&self.registry, candidate).await
    }

    async fn resource(
        &self,
        candidate: &Candidate<Skill>,
        path: &ResourcePath,
    ) -> Result<Bytes, SourceError> {
        SkillReader::resource(&self.registry, candidate, path).await
    }
}

/// Returns the folder of a skill; `None` if its location has none.
pub(super) fn folder(skill: &Skill) -> Option<&Path> {
    let folder = Path::new(skill.location.as_deref()?).parent()?;
    (!folder.as_os_str().is_empty()).then_some(folder)
}
