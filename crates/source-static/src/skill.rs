//! One skill as constant data.

use std::sync::Arc;

use repertoire_core::{Bytes, Digest, Id, Listed, Resource, ResourcePath, Skill, Stamp, SurfaceMode, Value};

use crate::message::Message;
use crate::rule;

/// A skill that is part of the program: text and bytes that live as long as it does.
///
/// Everything that could be wrong is checked by the constructors, which are `const`: in a `const` or `static` a broken
/// rule is a compile error.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StaticSkill {
    id: &'static str,
    pub(crate) id_hash: u64,
    description: &'static str,
    body: &'static str,
    license: Option<&'static str>,
    category: Option<&'static str>,
    surface: Option<SurfaceMode>,
    allowed_tools: Option<&'static [&'static str]>,
    required_tools: &'static [&'static str],
    disable_model_invocation: bool,
    user_invocable: bool,
    metadata: &'static [(&'static str, &'static str)],
    resources: &'static [(&'static str, &'static [u8])],
}

impl StaticSkill {
    /// A skill that declares nothing but its id, its description and its instructions.
    ///
    /// The id is lower-case ASCII letters, digits and single hyphens between them, at most 64 (rules S-10 to S-12 of the
    /// standard, which also knows letters of other scripts). The description is not blank and has at most 1024
    /// characters; the body is not blank, and may be `include_str!` of a file without front matter.
    ///
    /// # Panics
    /// For anything else; in a constant that is a compile error.
    #[track_caller]
    pub const fn new(id: &'static str, description: &'static str, body: &'static str) -> StaticSkill {
        if let Some(rule) = rule::broken_by_id(id) {
            panic!("{}", rule);
        }
        if let Some(rule) = rule::broken_by_description(description) {
            panic!("{}", rule);
        }
        assert!(!rule::is_blank(body), "the body of a skill must not be blank");
        StaticSkill {
            id,
            id_hash: rule::hash(id),
            description,
            body,
            license: None,
            category: None,
            surface: None,
            allowed_tools: None,
            required_tools: &[],
            disable_model_invocation: false,
            user_invocable: true,
            metadata: &[],
            resources: &[],
        }
    }

    /// The same skill under a licence: front matter `license`.
    #[must_use]
    pub const fn under_license(self, license: &'static str) -> StaticSkill {
        StaticSkill { license: Some(license), ..self }
    }

    /// The same skill in a category: front matter `category`.
    #[must_use]
    pub const fn in_category(self, category: &'static str) -> StaticSkill {
        StaticSkill { category: Some(category), ..self }
    }

    /// The same skill with a declared surface mode: front matter `surface`.
    #[must_use]
    pub const fn on_surface(self, mode: SurfaceMode) -> StaticSkill {
        StaticSkill { surface: Some(mode), ..self }
    }

    /// The same skill with the tools that it pre-approves: front matter `allowed-tools`.
    #[must_use]
    pub const fn allowing_tools(self, tools: &'static [&'static str]) -> StaticSkill {
        StaticSkill { allowed_tools: Some(tools), ..self }
    }

    /// The same skill with the tools that it needs: front matter `required_tools`.
    #[must_use]
    pub const fn requiring_tools(self, tools: &'static [&'static str]) -> StaticSkill {
        StaticSkill { required_tools: tools, ..self }
    }

    /// The same skill for users only: front matter `disable-model-invocation`.
    #[must_use]
    pub const fn hidden_from_model(self) -> StaticSkill {
        StaticSkill { disable_model_invocation: true, ..self }
    }

    /// The same skill for models only: front matter `user-invocable`.
    #[must_use]
    pub const fn hidden_from_user(self) -> StaticSkill {
        StaticSkill { user_invocable: false, ..self }
    }

    /// The same skill with further keys and values: front matter `metadata`.
    ///
    /// # Panics
    /// For a key that comes twice; in a constant that is a compile error.
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
        StaticSkill { metadata, ..self }
    }

    /// The same skill with files beside its instructions: paths, and bytes such as those of `include_bytes!`.
    ///
    /// # Panics
    /// For a path that is no [`ResourcePath`] and for one that comes twice; in a constant that is a compile error.
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
        StaticSkill { resources, ..self }
    }

    /// The id.
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// The row that stands for this skill in a listing.
    pub(crate) fn listed(&self) -> Listed<Skill> {
        let id = Id::new(self.id).expect("checked by `new`: an id of the standard");
        let mut skill = Skill::new(id, self.description.trim_ascii());
        skill.surface = self.surface;
        skill.allowed_tools = self.allowed_tools.map(|tools| tools.iter().copied().map(Arc::from).collect());
        skill.disable_model_invocation = self.disable_model_invocation;
        skill.user_invocable = self.user_invocable;
        skill.fields = self.fields();
        Listed::new(skill, Stamp::of(self)).with_digest(Digest::of(self.body.as_bytes()))
    }

    /// What the front matter of the same skill in a file would say.
    fn fields(&self) -> Vec<(Arc<str>, Value)> {
        let list = |items: &[&'static str]| Value::List(items.iter().copied().map(Value::text).collect());
        let pairs = self.metadata.iter().map(|(key, value)| ((*key).into(), Value::text(*value)));
        let fields = [
            ("name", Some(Value::text(self.id))),
            ("description", Some(Value::text(self.description.trim_ascii()))),
            ("license", self.license.map(Value::text)),
            ("category", self.category.map(Value::text)),
            ("surface", self.surface.map(|mode| Value::text(mode.as_str()))),
            ("allowed-tools", self.allowed_tools.map(list)),
            ("required_tools", (!self.required_tools.is_empty()).then(|| list(self.required_tools))),
            ("disable-model-invocation", self.disable_model_invocation.then(|| Value::plain("true"))),
            ("user-invocable", (!self.user_invocable).then(|| Value::plain("false"))),
            ("metadata", (!self.metadata.is_empty()).then(|| Value::Map(pairs.collect()))),
        ];
        fields.into_iter().filter_map(|(key, value)| Some((key.into(), value?))).collect()
    }

    /// The instructions without leading blank lines, line ends as `\n`: a raw string often starts with one, and
    /// `include_str!` gives the line ends of the checkout.
    pub(crate) fn text(&self) -> Arc<str> {
        let mut text = self.body;
        while let Some((line, rest)) = text.split_once('\n')
            && line.trim().is_empty()
        {
            text = rest;
        }
        if text.contains('\r') { text.replace("\r\n", "\n").into() } else { text.into() }
    }

    /// The manifest, sorted by path.
    pub(crate) fn manifest(&self) -> Vec<Resource> {
        let resource = |(path, bytes): &(&'static str, &'static [u8])| {
            let path = ResourcePath::new(path).expect("checked by `with_resources`: a path inside the skill");
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

#[cfg(test)]
mod tests;
