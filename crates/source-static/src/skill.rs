//! A skill as constant data.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use repertoire_core::{
    Bytes, Digest, Id, ListingEntry, Resource, ResourcePath, Skill, Stamp, Value, skill_md,
};

use crate::rule::{self, RuleMessage};

/// A skill that is compiled into the program.
///
/// The constructors are `const` and check every rule: in a `const` or `static` a broken rule is a compile error.
///
/// ```
/// use repertoire_source_static::StaticSkill;
/// use repertoire_source_static::StaticValue::{Flag, List};
///
/// const DEPLOY: StaticSkill = StaticSkill::new("deploy", "Ships the service.", "Build ${SERVICE}, push, watch.\n")
///     .with_fields(&[
///         ("triggers", List(&["ship it", "/deploy"])),
///         ("arguments", List(&["version"])),
///         ("allowed-tools", List(&["Bash(git:*)", "Read"])),
///         ("disable-model-invocation", Flag(true)),
///     ])
///     .with_variables(&[("SERVICE", "the billing service")]);
/// ```
///
/// ```compile_fail
/// use repertoire_source_static::StaticSkill;
///
/// const DEPLOY: StaticSkill = StaticSkill::new("Deploy", "Ships the service.", "Build, push, watch.\n");
/// ```
///
/// A skill of [`embed_skills!`](crate::embed_skills) or [`embed_skill!`](crate::embed_skill) has its fields and resources from
/// files, and may have variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StaticSkill {
    id: &'static str,
    pub(crate) id_hash: u64,
    description: &'static str,
    text: StaticText,
    variables: &'static [(&'static str, &'static str)],
    resources: &'static [(&'static str, &'static [u8])],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum StaticText {
    InCode {
        body: &'static str,
        fields: &'static [(&'static str, StaticValue)],
    },
    /// A whole `SKILL.md`, which was checked at build time.
    File(&'static [u8]),
}

/// The value of a front-matter field of a [`StaticSkill`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StaticValue {
    /// A text.
    Text(&'static str),
    /// `true` or `false`.
    Flag(bool),
    /// A list of texts.
    List(&'static [&'static str]),
    /// A map of texts, such as `metadata`.
    Map(&'static [(&'static str, &'static str)]),
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
    pub const fn new(
        id: &'static str,
        description: &'static str,
        body: &'static str,
    ) -> StaticSkill {
        if let Some(rule) = rule::broken_by_id(id) {
            panic!("{}", rule);
        }
        if let Some(rule) = rule::broken_by_description(description) {
            panic!("{}", rule);
        }
        assert!(
            !rule::is_blank(body),
            "the body of a skill must not be blank"
        );
        StaticSkill::of_text(id, description, StaticText::InCode { body, fields: &[] })
    }

    #[doc(hidden)]
    pub const fn __embedded(
        id: &'static str,
        description: &'static str,
        file: &'static [u8],
        resources: &'static [(&'static str, &'static [u8])],
    ) -> StaticSkill {
        StaticSkill {
            resources,
            ..StaticSkill::of_text(id, description, StaticText::File(file))
        }
    }

    const fn of_text(id: &'static str, description: &'static str, text: StaticText) -> StaticSkill {
        StaticSkill {
            id,
            id_hash: rule::hash(id),
            description,
            text,
            variables: &[],
            resources: &[],
        }
    }

    /// Sets the other fields of its front matter.
    ///
    /// # Panics
    /// If a field is repeated or is set by `new`, or if the skill is embedded from a file. In a constant that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn with_fields(self, fields: &'static [(&'static str, StaticValue)]) -> StaticSkill {
        let mut at = 0;
        while at < fields.len() {
            let (key, value) = fields[at];
            if rule::is_same(key, "name") || rule::is_same(key, "description") {
                panic!(
                    "{}",
                    RuleMessage::of(&["`", key, "` is an argument of `StaticSkill::new`"]).as_str()
                );
            }
            if let StaticValue::Map(rows) = value {
                rule::assert_unique("the key", rows);
            }
            at += 1;
        }
        rule::assert_unique("the field", fields);
        let StaticText::InCode { body, .. } = self.text else {
            panic!("an embedded skill has its fields in its file")
        };
        StaticSkill {
            text: StaticText::InCode { body, fields },
            ..self
        }
    }

    /// Sets variables: each `${NAME}` in the instructions becomes the value, in this order.
    ///
    /// # Panics
    /// If a name is repeated. In a constant that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn with_variables(
        self,
        variables: &'static [(&'static str, &'static str)],
    ) -> StaticSkill {
        rule::assert_unique("the variable", variables);
        StaticSkill { variables, ..self }
    }

    /// Sets its resources: paths, and bytes such as those of `include_bytes!`. The paths are its front matter `references`.
    ///
    /// # Panics
    /// If a path is not a [`ResourcePath`] or is repeated, or if the skill is embedded from a file. In a constant that is a compile
    /// error.
    #[must_use]
    #[track_caller]
    pub const fn with_resources(
        self,
        resources: &'static [(&'static str, &'static [u8])],
    ) -> StaticSkill {
        let mut at = 0;
        while at < resources.len() {
            let path = resources[at].0;
            if let Some(rule) = rule::broken_by_resource_path(path) {
                panic!(
                    "{}",
                    RuleMessage::of(&["`", path, "` is not a path inside a skill: ", rule])
                        .as_str()
                );
            }
            at += 1;
        }
        rule::assert_unique("the resource", resources);
        assert!(
            matches!(self.text, StaticText::InCode { .. }),
            "an embedded skill has the resources of its folder"
        );
        StaticSkill { resources, ..self }
    }

    /// Returns the id.
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the description.
    pub const fn description(&self) -> &'static str {
        self.description.trim_ascii()
    }

    pub(crate) fn listed(&self) -> ListingEntry<Skill> {
        let skill = match self.text {
            StaticText::InCode { fields, .. } => self.in_code(fields),
            StaticText::File(file) => {
                // The id is the written name or stands in for it, as the folder's name did at build time.
                let site = skill_md::FileContext::new("SKILL.md").in_directory(self.id);
                skill_md::parse(file, site)
                    .skill
                    .expect("checked by `embed_skills!`: a sound file")
            }
        };
        ListingEntry::new(skill, Stamp::of(self)).with_digest(Digest::of(&self.raw()))
    }

    fn in_code(&self, fields: &[(&'static str, StaticValue)]) -> Skill {
        let id = Id::new(self.id).expect("checked by `StaticSkill::new`: an id of the standard");
        let skill = Skill::new(id, self.description())
            .with_field("name", self.id)
            .with_field("description", self.description());
        let skill = fields
            .iter()
            .fold(skill, |skill, (key, value)| skill.with_field(key, *value));
        if self.resources.is_empty() {
            return skill;
        }
        skill.with_field(
            "references",
            self.resources
                .iter()
                .map(|(path, _)| *path)
                .collect::<Vec<_>>(),
        )
    }

    /// Returns the bytes that are digested: the file, or the body of a skill in code, with the values of variables.
    fn raw(&self) -> Cow<'static, [u8]> {
        let (whole, head) = match self.text {
            StaticText::InCode { body, .. } => (body.as_bytes(), 0),
            StaticText::File(file) => (file, skill_md::front_matter(file).map_or(0, <[u8]>::len)),
        };
        if self.variables.is_empty() {
            return whole.into();
        }
        let (head, body) = whole.split_at(head);
        let mut body = std::str::from_utf8(body)
            .expect("checked by `embed_skills!`: UTF-8")
            .to_owned();
        for (name, value) in self.variables {
            body = body.replace(&format!("${{{name}}}"), value);
        }
        [head, body.as_bytes()].concat().into()
    }

    pub(crate) fn text(&self) -> Arc<str> {
        skill_md::body(&self.raw())
            .expect("a text in code and an embedded file are UTF-8")
            .into()
    }

    pub(crate) fn manifest(&self) -> Vec<Resource> {
        let mut manifest = Vec::with_capacity(self.resources.len());
        for (path, bytes) in self.resources {
            let path =
                ResourcePath::new(path).expect("checked when compiled: a path inside the skill");
            manifest.push(Resource::new(path, bytes.len() as u64, Digest::of(bytes)));
        }
        manifest.sort_by(|a, b| a.path.cmp(&b.path));
        manifest
    }

    pub(crate) fn resource(&self, path: &ResourcePath) -> Option<Bytes> {
        let (_, bytes) = self
            .resources
            .iter()
            .find(|(own, _)| *own == path.as_str())?;
        Some(Bytes::from_static(bytes))
    }
}

impl From<StaticValue> for Value {
    fn from(value: StaticValue) -> Value {
        match value {
            StaticValue::Text(text) => text.into(),
            StaticValue::Flag(flag) => flag.into(),
            StaticValue::List(items) => items.to_vec().into(),
            StaticValue::Map(rows) => Value::Map(
                rows.iter()
                    .map(|(key, value)| ((*key).into(), Value::text(*value)))
                    .collect(),
            ),
        }
    }
}

impl fmt::Debug for StaticSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticSkill")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
