//! A home and a repository in a temporary folder, and views of them as lines of text.

use std::fs;
use std::path::{Path, PathBuf};

use repertoire_profiles::{AgentPlace, AgentProfiles, AgentView, SkillOutcome, UnseenReason};

/// `H` is the home folder, `R` the repository in it.
pub(crate) struct Tree {
    folder: tempfile::TempDir,
    pub(crate) place: AgentPlace,
}

impl Tree {
    /// Creates an empty home with an empty repository.
    pub(crate) fn new() -> Tree {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("H/R/.git")).unwrap();
        let mut place = AgentPlace::new(root.join("H"), root.join("H/R"));
        place.system = root.join("system");
        Tree { folder, place }
    }

    /// Creates the layout of the golden scenarios.
    pub(crate) fn golden() -> Tree {
        let tree = Tree::new();
        for folder in [
            "H/.agents/skills/deploy",
            "H/.agents/skills/lint",
            "H/.claude/skills/deploy",
            "H/.claude/plugins/cache/mkt/tools/1.0.0/skills/fmt",
            "H/.claude/plugins/marketplaces/mkt/plugins/other/skills/ghost",
            "R/.agents/skills/deploy",
            "R/.agents/skills/team/audit",
            "R/.claude/skills/deploy",
            "R/.claude/skills/group/deep",
            "R/.github/skills/gh",
            "R/.cursor/skills/cur",
            "R/pkg/sub/.claude/skills/deploy",
            "R/pkg/sub/.agents/skills/inner",
        ] {
            tree.skill(folder);
        }
        tree.file(
            "H/.agents/skills/nodesc/SKILL.md",
            "---\nname: nodesc\n---\nDoes a thing.\n",
        );
        tree.file(
            "R/.claude/skills/folder-a/SKILL.md",
            "---\nname: other-name\ndescription: Does it.\n---\n",
        );
        tree.file(
            "R/.claude/commands/note.md",
            "---\ndescription: Notes it.\n---\nNote.\n",
        );
        tree.link("H/.claude/skills/lint", "H/.agents/skills/lint");
        let plugin = tree.path("H/.claude/plugins/cache/mkt/tools/1.0.0");
        let record = serde_json::json!({"version": 2, "plugins": {
            "tools@mkt": [{"scope": "user", "installPath": plugin, "version": "1.0.0"}]
        }});
        tree.file(
            "H/.claude/plugins/installed_plugins.json",
            &record.to_string(),
        );
        tree.file(
            "H/.claude/settings.json",
            r#"{"enabledPlugins": {"tools@mkt": true}}"#,
        );
        tree
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        let root = self.folder.path().canonicalize().unwrap();
        match path.strip_prefix("R/") {
            Some(rest) => root.join("H/R").join(rest),
            None => root.join(path),
        }
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a skill whose name is that of its folder.
    pub(crate) fn skill(&self, folder: &str) {
        self.described(folder, "Does it.");
    }

    pub(crate) fn described(&self, folder: &str, description: &str) {
        let name = folder.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n");
        self.file(&format!("{folder}/SKILL.md"), &text);
    }

    pub(crate) fn link(&self, from: &str, to: &str) {
        let from = self.path(from);
        fs::create_dir_all(from.parent().unwrap()).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(self.path(to), from).unwrap();
        #[cfg(windows)]
        std::os::windows::fs::symlink_dir(self.path(to), from).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_dir_all(self.path(path)).unwrap();
    }

    pub(crate) fn view(&self, agent: &str) -> AgentView {
        let profiles = AgentProfiles::built_in();
        profiles.survey(&self.place).view(agent).unwrap()
    }

    /// Returns one line for each skill: name, path, result.
    pub(crate) fn lines(&self, agent: &str) -> Vec<String> {
        let view = self.view(agent);
        let line = |skill: &repertoire_profiles::AgentSkill| {
            let names: Vec<_> = std::iter::once(&skill.name)
                .chain(&skill.or_named)
                .map(|name| &**name)
                .collect();
            format!(
                "{} {} {}",
                names.join("|"),
                self.short(&skill.path),
                self.outcome(&skill.outcome)
            )
        };
        view.skills.iter().map(line).collect()
    }

    /// Returns the lines of the skills that may load.
    pub(crate) fn seen(&self, agent: &str) -> Vec<String> {
        let mut lines = self.lines(agent);
        lines.retain(|line| {
            line.contains(" full") || line.contains(" listed") || line.contains(" one of")
        });
        lines
    }

    fn outcome(&self, outcome: &SkillOutcome) -> String {
        match outcome {
            SkillOutcome::Loaded {
                listed,
                because: None,
            } => kebab(listed),
            SkillOutcome::Loaded {
                listed,
                because: Some(reason),
            } => {
                format!("listed {} ({})", kebab(listed), self.reason(reason))
            }
            SkillOutcome::Omitted { reason } => format!("not: {}", self.reason(reason)),
            SkillOutcome::Unknown { one_of } => {
                let all: Vec<_> = one_of.iter().map(|outcome| self.outcome(outcome)).collect();
                format!("one of [{}]", all.join("; "))
            }
        }
    }

    fn reason(&self, reason: &UnseenReason) -> String {
        let value = serde_json::to_value(reason).unwrap();
        let mut words = vec![value["kind"].as_str().unwrap().to_owned()];
        for (key, value) in value.as_object().unwrap() {
            match (key.as_str(), value) {
                ("kind" | "read_by", _) | (_, serde_json::Value::Null) => {}
                (_, serde_json::Value::String(text)) => words.push(self.short(Path::new(text))),
                (_, value) => words.push(value.to_string()),
            }
        }
        words.join(" ")
    }

    fn short(&self, path: &Path) -> String {
        let root = self.folder.path().canonicalize().unwrap();
        let path = match path.strip_prefix(&root) {
            Ok(path) => path.to_string_lossy().replace('\\', "/"),
            Err(_) => path.to_string_lossy().into_owned(),
        };
        let path = path
            .strip_prefix("H/R")
            .map_or(path.clone(), |rest| format!("R{rest}"));
        path.trim_end_matches("/SKILL.md").to_owned()
    }
}

fn kebab(listed: &repertoire_profiles::ListedAs) -> String {
    serde_json::to_value(listed)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}
