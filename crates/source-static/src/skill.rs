//! A skill as constant data.

use std::fmt;
use std::sync::Arc;

use repertoire_core::{
    Bytes, Category, Digest, ListingEntry, Resource, ResourcePath, Skill, Stamp, SurfaceMode, skill_md,
};

use crate::rule::{self, Message};
use crate::written::Written;

/// A skill that is compiled into the program.
///
/// The constructors are `const` and check every rule: in a `const` or `static` a broken rule is a compile error.
///
/// ```
/// use repertoire_source_static::StaticSkill;
///
/// const DEPLOY: StaticSkill = StaticSkill::new("deploy", "Ships the service.", "Build, push, watch.\n")
///     .allowing_tools(&["Bash(git:*)", "Read"])
///     .hidden_from_model();
/// ```
///
/// ```compile_fail
/// use repertoire_source_static::StaticSkill;
///
/// const DEPLOY: StaticSkill = StaticSkill::new("Deploy", "Ships the service.", "Build, push, watch.\n");
/// ```
///
/// A skill of [`embed_skills!`](crate::embed_skills) declares everything in its file, and the builder methods panic.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StaticSkill {
    id: &'static str,
    pub(crate) id_hash: u64,
    description: &'static str,
    content: Content,
    resources: &'static [(&'static str, &'static [u8])],
}

/// The content of a skill.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    /// Fields in the code.
    Written(Written),
    /// A whole `SKILL.md`, which was checked at build time.
    File(&'static [u8]),
}

impl StaticSkill {
    /// Creates a skill with an id, a description and instructions.
    ///
    /// - The id has at most 64 lower-case ASCII letters, digits and single hyphens between them (rules S-10 to S-12 of the standard,
    ///   which also admits letters of other scripts).
    /// - The description is not blank and has at most 1024 characters.
    /// - The body is not blank. It may be `include_str!` of a file without front matter.
    ///
    /// # Panics
    /// If a rule is broken. In a constant that is a compile error.
    #[track_caller]
    pub const fn new(id: &'static str, description: &'static str, body: &'static str) -> StaticSkill {
        if let Some(rule) = rule::broken_by_id(id) {
            panic!("{}", rule);
        }
        if let Some(rule) = rule::broken_by_description(description) {
            panic!("{}", rule);
        }
        assert!(!rule::is_blank(body), "the body of a skill must not be blank");
        let content = Content::Written(Written::new(body));
        StaticSkill { id, id_hash: rule::hash(id), description, content, resources: &[] }
    }

    #[doc(hidden)]
    pub const fn __embedded(
        id: &'static str,
        description: &'static str,
        file: &'static [u8],
        resources: &'static [(&'static str, &'static [u8])],
    ) -> StaticSkill {
        StaticSkill { id, id_hash: rule::hash(id), description, content: Content::File(file), resources }
    }

    /// Sets the licence: front matter `license`.
    #[must_use]
    #[track_caller]
    pub const fn under_license(self, license: &'static str) -> StaticSkill {
        self.with(Written { license: Some(license), ..self.written() })
    }

    /// Sets the category, which decides whether its tools need a [`ToolPolicies`](repertoire_core::ToolPolicies): front
    /// matter `category`.
    #[must_use]
    #[track_caller]
    pub const fn in_category(self, category: Category) -> StaticSkill {
        self.with(Written { category: Some(category), ..self.written() })
    }

    /// Sets the surface mode: front matter `surface`.
    #[must_use]
    #[track_caller]
    pub const fn on_surface(self, mode: SurfaceMode) -> StaticSkill {
        self.with(Written { surface: Some(mode), ..self.written() })
    }

    /// Sets the tools that it pre-approves: front matter `allowed-tools`.
    #[must_use]
    #[track_caller]
    pub const fn allowing_tools(self, tools: &'static [&'static str]) -> StaticSkill {
        self.with(Written { allowed_tools: Some(tools), ..self.written() })
    }

    /// Sets the tools that it needs: front matter `required_tools`.
    #[must_use]
    #[track_caller]
    pub const fn requiring_tools(self, tools: &'static [&'static str]) -> StaticSkill {
        self.with(Written { required_tools: tools, ..self.written() })
    }

    /// Sets the tools that it brings: front matter `tools`.
    #[must_use]
    #[track_caller]
    pub const fn bringing_tools(self, tools: &'static [&'static str]) -> StaticSkill {
        self.with(Written { tools, ..self.written() })
    }

    /// Sets the path of the code behind it: front matter `import_path`.
    #[must_use]
    #[track_caller]
    pub const fn implemented_at(self, import_path: &'static str) -> StaticSkill {
        self.with(Written { import_path: Some(import_path), ..self.written() })
    }

    /// Hides it from models: front matter `disable-model-invocation`.
    #[must_use]
    #[track_caller]
    pub const fn hidden_from_model(self) -> StaticSkill {
        self.with(Written { disable_model_invocation: true, ..self.written() })
    }

    /// Hides it from users: front matter `user-invocable`.
    #[must_use]
    #[track_caller]
    pub const fn hidden_from_user(self) -> StaticSkill {
        self.with(Written { user_invocable: false, ..self.written() })
    }

    /// Sets further keys and values: front matter `metadata`.
    ///
    /// # Panics
    /// If a key is repeated. In a constant that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn with_metadata(self, metadata: &'static [(&'static str, &'static str)]) -> StaticSkill {
        let mut at = 0;
        while at < metadata.len() {
            let mut earlier = 0;
            while earlier < at {
                if rule::is_same(metadata[earlier].0, metadata[at].0) {
                    panic!("{}", Message::of(&["the metadata key `", metadata[at].0, "` comes twice"]).as_str());
                }
                earlier += 1;
            }
            at += 1;
        }
        self.with(Written { metadata, ..self.written() })
    }

    /// Sets its resources: paths, and bytes such as those of `include_bytes!`. The paths are its front matter `references`.
    ///
    /// # Panics
    /// If a path is not a [`ResourcePath`] or is repeated. In a constant that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn with_resources(self, resources: &'static [(&'static str, &'static [u8])]) -> StaticSkill {
        let mut at = 0;
        while at < resources.len() {
            let path = resources[at].0;
            if let Some(rule) = rule::broken_by_resource_path(path) {
                panic!("{}", Message::of(&["`", path, "` is not a path inside a skill: ", rule]).as_str());
            }
            let mut earlier = 0;
            while earlier < at {
                if rule::is_same(resources[earlier].0, path) {
                    panic!("{}", Message::of(&["the resource `", path, "` comes twice"]).as_str());
                }
                earlier += 1;
            }
            at += 1;
        }
        StaticSkill { resources, ..self.with(self.written()) }
    }

    /// Returns the id.
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the description.
    pub const fn description(&self) -> &'static str {
        self.description.trim_ascii()
    }

    #[track_caller]
    const fn written(&self) -> Written {
        match self.content {
            Content::Written(written) => written,
            Content::File(_) => panic!("an embedded skill says everything in its `SKILL.md`"),
        }
    }

    const fn with(self, written: Written) -> StaticSkill {
        StaticSkill { content: Content::Written(written), ..self }
    }

    pub(crate) fn listed(&self) -> ListingEntry<Skill> {
        let skill = match self.content {
            Content::Written(written) => written.skill(self.id, self.description(), self.resources),
            Content::File(file) => {
                // The id is the written name or stands in for it, as the folder's name did at build time.
                let site = skill_md::FileContext::new("SKILL.md").in_directory(self.id);
                skill_md::parse(file, site).skill.expect("checked by `embed_skills!`: a sound file")
            }
        };
        ListingEntry::new(skill, Stamp::of(self)).with_digest(Digest::of(self.raw()))
    }

    /// Returns the bytes that are digested: the file, or the body of a skill in code.
    fn raw(&self) -> &'static [u8] {
        match self.content {
            Content::Written(written) => written.body.as_bytes(),
            Content::File(file) => file,
        }
    }

    pub(crate) fn text(&self) -> Arc<str> {
        match self.content {
            Content::Written(written) => written.text(),
            Content::File(file) => skill_md::body(file).expect("checked by `embed_skills!`: UTF-8").into(),
        }
    }

    pub(crate) fn manifest(&self) -> Vec<Resource> {
        let resource = |(path, bytes): &(&'static str, &'static [u8])| {
            let path = ResourcePath::new(path).expect("checked when compiled: a path inside the skill");
            Resource::new(path, bytes.len() as u64, Digest::of(bytes))
        };
        let mut manifest: Vec<Resource> = self.resources.iter().map(resource).collect();
        manifest.sort_by(|a, b| a.path.cmp(&b.path));
        manifest
    }

    pub(crate) fn resource(&self, path: &ResourcePath) -> Option<Bytes> {
        let (_, bytes) = self.resources.iter().find(|(own, _)| *own == path.as_str())?;
        Some(Bytes::from_static(bytes))
    }
}

impl fmt::Debug for StaticSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticSkill").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
