//! Stable codes of diagnostics.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing to do; worth knowing.
    Info,
    /// It works here, and is probably a mistake or fails in other clients.
    Warning,
    /// Something is missing because of it.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// The strictness of parsing a `SKILL.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strictness {
    /// Loads what can be read, and reports the rest.
    #[default]
    Lenient,
    /// Refuses what the reference validator of the Agent Skills standard refuses.
    Strict,
}

/// A stable name for one kind of diagnostic, with the severity each [`Strictness`] gives it.
///
/// Callers compare [names](Code::name), never messages. [`Code::ALL`] and `docs/diagnostics.md` list the codes of this workspace.
#[derive(Clone, Copy)]
pub struct Code {
    name: &'static str,
    lenient: Severity,
    strict: Severity,
    about: &'static str,
}

impl Code {
    /// Returns the code of this workspace with this name.
    #[doc(hidden)]
    pub fn named(name: &str) -> Option<Code> {
        Code::ALL.iter().find(|code| code.name() == name).copied()
    }

    /// Creates a code of a source outside this workspace. Prefix the name with the source's: `acme-bad-row`.
    pub const fn foreign(name: &'static str, severity: Severity, about: &'static str) -> Code {
        Code {
            name,
            lenient: severity,
            strict: severity,
            about,
        }
    }

    /// Returns the name, in kebab case.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns one sentence on what the code means.
    pub const fn about(self) -> &'static str {
        self.about
    }

    /// Returns the severity under `strictness`.
    pub const fn severity(self, strictness: Strictness) -> Severity {
        match strictness {
            Strictness::Lenient => self.lenient,
            Strictness::Strict => self.strict,
        }
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

macro_rules! codes {
    ($($visibility:vis $constant:ident $name:literal $lenient:ident $strict:ident $about:literal;)*) => {
        impl Code {
            $(
                #[doc = $about]
                #[doc(hidden)]
                $visibility const $constant: Code =
                    Code { name: $name, lenient: Severity::$lenient, strict: Severity::$strict, about: $about };
            )*

            /// Every code of this workspace, in the order of the documented table.
            pub const ALL: &[Code] = &[$(Code::$constant),*];
        }
    };
}

codes! {
    pub DUPLICATE_ID "duplicate-id" Warning Error "One source defines an id twice; the first stays.";
    pub SHADOWED "shadowed" Warning Warning "A skill hides a different one of the same id.";
    pub LOOKS_ALIKE "looks-alike" Warning Warning "A name has letters of another script and looks like another name.";
    pub SHADOWED_IDENTICAL "shadowed-identical" Info Info "A skill hides an identical copy.";
    pub PREFERRED "preferred" Info Info "An explicit preference decided who wins an id.";
    pub UNKNOWN_PREFERENCE "unknown-preference" Warning Warning "A preference names a source that does not have the id.";
    pub RULE_IGNORED "rule-ignored" Warning Warning "A rule enables what an earlier level disables, and its level may only narrow.";
    pub RULE_UNMATCHED "rule-unmatched" Info Info "A rule does not match any skill.";
    pub SOURCE_HIDDEN "source-hidden" Warning Warning "A session source has the same name as a shared source and replaces it.";
    pub SOURCE_FAILED "source-failed" Error Error "A source could not be listed; its last good listing stays.";
    pub NOT_UTF8 "not-utf8" Error Error "A file is not UTF-8 text.";
    pub TOO_LARGE "too-large" Error Error "A file or its front matter is over a limit.";
    pub(crate) EMPTY_FILE "empty-file" Error Error "A file holds nothing but blanks.";
    pub NO_FRONT_MATTER "no-front-matter" Error Error "A file does not start with front matter.";
    pub UNCLOSED_FRONT_MATTER "unclosed-front-matter" Error Error "No line `---` closes the front matter.";
    pub(crate) NOT_A_MAPPING "not-a-mapping" Error Error "The front matter is not a YAML mapping.";
    pub(crate) NOT_FIRST_LINE "not-first-line" Warning Error "Blank lines or comments stand before the front matter.";
    pub(crate) CLOSED_BY_DOTS "closed-by-dots" Warning Error "A line `...` closes the front matter.";
    pub(crate) BYTE_ORDER_MARK "byte-order-mark" Info Error "A file starts with a byte-order mark. Strict only.";
    pub INVALID_YAML "invalid-yaml" Warning Error "A value is not valid YAML; it was read from its line instead.";
    pub INVALID_DESCRIPTION "invalid-description" Warning Error "The description is not valid YAML; other clients lose it. `check` counts it as an error.";
    pub(crate) YAML_SUBSET "yaml-subset" Info Error "The standard's YAML subset excludes a construct. Strict only.";
    pub(crate) DUPLICATE_KEY "duplicate-key" Warning Error "A field is written twice; the last value wins, of a limiting field the stricter one.";
    pub(crate) CUT_BY_COMMENT "cut-by-comment" Warning Warning "A `#` makes the rest of an unquoted text a comment.";
    pub(crate) CUT_BY_TAG "cut-by-tag" Warning Warning "A tag or an anchor of YAML takes the first word of an unquoted text.";
    pub INVISIBLE_TEXT "invisible-text" Warning Warning "A text holds characters that people do not see and models read.";
    pub(crate) UNEXPECTED_FIELDS "unexpected-fields" Info Error "The standard does not know these fields. Strict only.";
    pub(crate) MISSING_NAME "missing-name" Info Error "The name is missing; the directory's name stands in.";
    pub NO_NAME "no-name" Error Error "There is neither a usable name nor a directory to name a skill after.";
    pub UNUSABLE_NAME "unusable-name" Warning Error "The name cannot be an id; the directory's name stands in.";
    pub(crate) NAME_AND_ID "name-and-id" Warning Error "`name` and `id` differ; `name` wins.";
    pub(crate) NAME_FAULT "name-fault" Warning Error "The name breaks a rule of the standard; some agents will reject it.";
    pub(crate) DIRECTORY_MISMATCH "directory-mismatch" Warning Error "The name differs from the directory's.";
    pub MISSING_DESCRIPTION "missing-description" Error Error "The description is missing or blank.";
    pub(crate) LONG_DESCRIPTION "long-description" Warning Error "The description is longer than the standard allows.";
    pub(crate) BAD_COMPATIBILITY "bad-compatibility" Warning Error "`compatibility` is not text, or longer than the standard allows.";
    pub(crate) UNREADABLE_LIMIT "unreadable-limit" Warning Warning "A limiting field cannot be read and counts as limiting.";
    pub(crate) DROPPED_ITEM "dropped-item" Warning Warning "A list item is not a valid name and was ignored.";
    pub(crate) MISSPELT_LIMIT "misspelt-limit" Warning Warning "A field is nearly spelled like one that limits; as it is written it limits nothing.";
    pub(crate) MISSPELT_FIELD "misspelt-field" Info Info "A field is nearly spelled like one that is read; as it is written it has no effect.";
    pub(crate) UNREACHABLE "unreachable" Warning Warning "Neither a model nor a user may call the skill.";
    pub(crate) UNKNOWN_CATEGORY "unknown-category" Info Info "The category is neither `standard` nor `raw`; it counts as `raw`.";
    pub(crate) UNREADABLE_FIELD "unreadable-field" Warning Warning "An extension field has a shape that cannot be read and counts as absent.";
    pub(crate) FOREIGN_FIELD "foreign-field" Info Info "An extension field under `metadata` has a shape of another program and counts as absent.";
    pub BAD_TRIGGER "bad-trigger" Warning Warning "An item of `triggers` can never hold: an unknown kind, or an invalid regular expression.";
    pub BAD_WORKFLOW "bad-workflow" Warning Warning "The plan in `workflow` is invalid.";
    pub UNKNOWN_WORKFLOW "unknown-workflow" Warning Warning "A skill allows a workflow that does not exist. `gateway` only.";
    pub NOT_READY "not-ready" Warning Warning "A skill needs tools of MCP servers that are missing or denied. `gateway`, and `check` with a file that defines servers.";
    pub(crate) BAD_VERIFICATION "bad-verification" Warning Warning "An item of `verification` is not a check.";
    pub(crate) UNKNOWN_TIER "unknown-tier" Info Info "The functional tier is none of the six that are known; it is kept as a label.";
    pub(crate) UNKNOWN_LEVEL "unknown-level" Warning Warning "The level of invocation is not 1, 2 or 3; it counts as 2.";
    pub MISSING_REFERENCE "missing-reference" Warning Warning "The skill refers to a file that it does not have.";
    pub(crate) UNREADABLE_RULE "unreadable-rule" Warning Warning "A rule of `allowed-tools` cannot be read and grants nothing.";
    pub(crate) WEAK_KEYWORD "weak-keyword" Warning Warning "A keyword of `triggers` is too short or too common and never holds.";
    pub(crate) UNKNOWN_SURFACE "unknown-surface" Warning Warning "The surface mode is unknown and counts as absent.";
    pub OVERLAPPING_DESCRIPTIONS "overlapping-descriptions" Warning Warning "A search for the description of a skill finds another one nearly as well. `check --overlap` only.";
    pub MISSED_PROMPTS "missed-prompts" Warning Warning "Prompts that a skill is right for find another one first. `eval` only.";
    pub NEVER_FIRST "never-first" Info Info "The description of a skill costs tokens, and no prompt finds the skill first. `eval` only.";
    pub SURFACE_OVER_MCP "surface-over-mcp" Warning Warning "A skill declares the system prompt, which no server writes over MCP.";
    pub(crate) NOT_FORMATTED "not-formatted" Error Error "The formatter left a front matter to its author.";
    pub LINK_DANGLING "link-dangling" Warning Warning "A link leads nowhere.";
    pub LINK_REPEATED "link-repeated" Info Info "A link leads to a folder that is already read, or that holds the root.";
    pub LINK_LEADS_OUT "link-leads-out" Warning Error "A link leads out of the folder that may be searched or quoted.";
    pub FOREIGN_OWNER "foreign-owner" Error Error "Another user can change a skill, or a folder on the way to it, in a root of this user.";
    pub LINK_AS_TEXT "link-as-text" Error Error "A text file stands where Git could not make a link.";
    pub UNREADABLE "unreadable" Error Error "A file or folder is there and cannot be read.";
    pub NOT_A_FILE "not-a-file" Error Error "A `SKILL.md` is a folder, a pipe, a device or the like.";
    pub MISSPELLED_FILE "misspelled-file" Warning Error "A file is called `skill.md` or the like instead of `SKILL.md`.";
    pub OTHER_SPELLING "other-spelling" Info Info "Another spelling of `SKILL.md` lies beside it and does not count.";
    pub PATH_NOT_UTF8 "path-not-utf8" Warning Warning "A path is not UTF-8; others cannot name the file.";
    pub(crate) PART_OMITTED "part-omitted" Warning Warning "Something beside the instructions cannot be a file of its skill, and is left out.";
    pub(crate) SECRET_FILE "secret-file" Warning Warning "A file of a skill holds secrets by convention; it is neither listed nor read nor served.";
    pub(crate) NOT_COMPARED "not-compared" Info Info "Something in a skill's folder is not compared with a lock.";
    pub WALK_TRUNCATED "walk-truncated" Warning Warning "A limit ended the search for skills early.";
    pub WATCH_DEGRADED "watch-degraded" Warning Warning "Folders cannot be watched and are polled instead.";
    pub CLIENT_PLUGIN "client-plugin" Warning Warning "A plugin that a client installed says something that cannot be used.";
    pub PLUGIN_DIAGNOSTIC "plugin-diagnostic" Warning Warning "A plugin reports something of its own.";
    pub PLUGIN_ENTRY "plugin-entry" Warning Warning "A plugin lists an entry that cannot be understood.";
    pub PLUGIN_REPLACED "plugin-replaced" Warning Warning "A plugin's file was replaced by one that is not approved.";
    pub MCP_ENTRY "mcp-entry" Warning Warning "An MCP server lists a skill that cannot be used.";
    pub MCP_FALLBACK "mcp-fallback" Info Info "An MCP server does not know the skills extension; its resources are read instead.";
    pub MCP_SAME_NAME "mcp-same-name" Info Info "Several skills of one MCP server have the same name and get ids of their own.";
    pub MCP_UNVERIFIED "mcp-unverified" Warning Warning "An MCP server gives no digests of a skill, so what is read cannot be verified.";
    pub STALE "stale" Warning Warning "A file broke; its last good version stays listed.";
}
