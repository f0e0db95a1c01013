//! `repertoire add`.

use clap::Args;
use repertoire_install::{InstalledSkill, Reference};

use crate::Environment;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::fetching::{FetchOptions, fetch};
use crate::install_plan::{ChangeOptions, InstallPlan};
use crate::installation::{ScopeOption, now};
use crate::output::Output;

/// Install skills from git, OCI registries, web and MCP servers, archives and folders.
///
/// Shows the skills, their programs and problems, and asks before it writes. Content is stored by its digest, and the lock
/// states where it came from. `--agent` selects the agents that should find the skills.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire add anthropics/skills/skills/pdf@main\n  repertoire add ./shared tidy.skill --agent claude-code\n  repertoire add https://git.example.com/team/skills.git --yes"
)]
pub(crate) struct AddCommand {
    /// Sources: OWNER/REPO[/FOLDER][@REVISION] on github.com, a git URL, ./FOLDER, an archive (.zip, .skill, .tar.gz; a file or a URL), https://HOST with an index of skills, oci://HOST/NAME[:TAG], or mcp+https://HOST/PATH.
    #[arg(value_name = "REF", required = true)]
    references: Vec<String>,
    #[command(flatten)]
    scope: ScopeOption,
    #[command(flatten)]
    fetching: FetchOptions,
    #[command(flatten)]
    options: ChangeOptions,
}

impl AddCommand {
    pub(super) async fn run(
        &self,
        agents: &[String],
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let installation = self.scope.open(environment)?;
        let at = &installation.at;
        let folders = at.folders(agents, environment)?;
        let fetcher = self.fetching.fetcher(environment, &environment.cwd);
        let mut lock = at.lock.clone();
        let mut plan = InstallPlan::new();
        let mut sources: Vec<(String, &Reference)> = Vec::new();
        // The lock is below the real path of the working folder.
        let cwd = environment.cwd.canonicalize();
        let cwd = cwd.unwrap_or_else(|_| environment.cwd.clone());
        let references = self.references.iter().map(|typed| typed.parse());
        let references = references.collect::<Result<Vec<Reference>, _>>();
        let references = references.map_err(Failure::of_install)?;
        for reference in &references {
            let stated = reference.from_base(&cwd, &at.base);
            installation.policy.check_source(&stated)?;
            let fetched = fetch(&fetcher, reference, environment).await?;
            installation.policy.check_age(&stated, fetched.created)?;
            for skill in &fetched.skills {
                let id = skill.skill.id.to_string();
                if let Some((_, other)) = sources.iter().find(|(known, _)| *known == id) {
                    let message = format!("`{id}` is in `{other}` and in `{reference}`");
                    return Err(Failure::new(message).help("add one of them"));
                }
                sources.push((id, reference));
                installation
                    .store
                    .put(&skill.tree)
                    .map_err(Failure::of_install)?;
                for folder in &folders {
                    let path = format!("{folder}/{}", skill.skill.id).parse();
                    let path = path.map_err(|error| Failure::of(&error))?;
                    let known = lock.installed.get(&path);
                    let known = known.filter(|row| row.reference == stated);
                    let trusted = known.map_or_else(now, |row| row.first_trusted.clone());
                    let row = InstalledSkill::new(
                        skill,
                        path,
                        stated.clone(),
                        &fetched.revision,
                        trusted,
                    );
                    plan.place(&installation, &self.options, &row, Some(skill))?;
                    lock.installed.insert(row.path.clone(), row);
                }
            }
            if environment.stderr.is_terminal() {
                let found = counted(fetched.skills.len(), "skill");
                environment.write_stderr(&format!("{reference}: {found}\n"));
            }
        }
        if agents.is_empty() {
            out.notes(at.unread_note(environment));
        }
        plan.run(&installation, &self.options, &lock, environment, out)
    }
}
