//! The element around a body that a model reads.

use repertoire_core::text::{clean_line, inside_elements, xml_attribute};
use repertoire_core::{Id, Trust};

/// The element around a body, and the list in it.
const OWN: [&str; 2] = ["skill_content", "skill_resources"];

/// The elements that clients put around bodies and lists of skills. Printed text may not open or close them.
const KNOWN: [&str; 10] = [
    OWN[0],
    OWN[1],
    "skill",
    "skill-instructions",
    "skill_files",
    "activated_skill",
    "loaded_skill",
    "available_skills",
    "available-skills",
    "skills_instructions",
];

/// The element around a body that a model reads: the skill, its source, the folder of relative paths, and the files.
///
/// ```
/// use repertoire_core::Trust;
/// use repertoire_render::Wrapper;
///
/// let id = "deploy".parse()?;
/// let wrapper = Wrapper::new(&id, "home").base_directory("/skills/deploy").resources(["scripts/go.sh"]);
/// assert_eq!(
///     wrapper.wrap("Run scripts/go.sh.\n"),
///     "<skill_content name=\"deploy\" source=\"home\">\n\
///      Run scripts/go.sh.\n\
///      \n\
///      Base directory of this skill: /skills/deploy\n\
///      Relative paths in this skill are relative to it.\n\
///      <skill_resources count=\"1\">\n\
///      <file>scripts/go.sh</file>\n\
///      </skill_resources>\n\
///      </skill_content>\n"
/// );
/// # Ok::<(), repertoire_core::InvalidValue>(())
/// ```
#[derive(Debug, Clone)]
pub struct Wrapper<'a> {
    id: &'a Id,
    source: &'a str,
    trust: Trust,
    base_directory: Option<&'a str>,
    resources: Option<Vec<&'a str>>,
}

impl<'a> Wrapper<'a> {
    const MAX_FILES: usize = 50;
    const MAX_BYTES: usize = 8 * 1024;

    /// Creates a wrapper with the names of the skill and its source.
    pub fn new(id: &'a Id, source: &'a str) -> Wrapper<'a> {
        Wrapper {
            id,
            source,
            trust: Trust::Trusted,
            base_directory: None,
            resources: None,
        }
    }

    /// Returns the same wrapper with the trust of the source, which is shown unless it is [`Trust::Trusted`].
    #[must_use]
    pub fn trust(mut self, trust: Trust) -> Wrapper<'a> {
        self.trust = trust;
        self
    }

    /// Returns the same wrapper with the folder of relative paths.
    #[must_use]
    pub fn base_directory(mut self, path: &'a str) -> Wrapper<'a> {
        self.base_directory = Some(path);
        self
    }

    /// Returns the same wrapper with the paths of the files beside the body, of which it lists at most 50 and 8 KiB.
    #[must_use]
    pub fn resources(mut self, paths: impl IntoIterator<Item = &'a str>) -> Wrapper<'a> {
        self.resources = Some(paths.into_iter().collect());
        self
    }

    /// Wraps `text`. Tags in it that could open or close the wrapper are escaped.
    pub fn wrap(&self, text: &str) -> String {
        let mut wrapped = format!(
            "<skill_content name=\"{}\" source=\"{}\"",
            xml_attribute(self.id.as_str()),
            xml_attribute(self.source)
        );
        if self.trust != Trust::Trusted {
            wrapped.push_str(&format!(" trust=\"{}\"", self.trust));
        }
        wrapped.push_str(">\n");
        wrapped.push_str(&inside_elements(text, &OWN));
        if !text.is_empty() && !text.ends_with('\n') {
            wrapped.push('\n');
        }
        if let Some(path) = self.base_directory {
            let path = path_line(path);
            wrapped.push_str(&format!(
                "\nBase directory of this skill: {path}\nRelative paths in this skill are relative to it.\n"
            ));
        }
        if let Some(paths) = self.resources.as_deref().filter(|paths| !paths.is_empty()) {
            Wrapper::write_files(paths, &mut wrapped);
        }
        wrapped.push_str("</skill_content>\n");
        wrapped
    }

    fn write_files(paths: &[&str], wrapped: &mut String) {
        let (mut rows, mut listed) = (String::new(), 0);
        for path in paths.iter().take(Wrapper::MAX_FILES) {
            let row = format!("<file>{}</file>\n", path_line(path));
            if rows.len() + row.len() > Wrapper::MAX_BYTES {
                break;
            }
            rows.push_str(&row);
            listed += 1;
        }
        let count = paths.len();
        let shown = if listed < count {
            format!(" shown=\"{listed}\"")
        } else {
            String::new()
        };
        wrapped.push_str(&format!(
            "<skill_resources count=\"{count}\"{shown}>\n{rows}"
        ));
        if listed < count {
            wrapped.push_str(&format!(
                "This list is incomplete: {} more files are not in it.\n",
                count - listed
            ));
        }
        wrapped.push_str("</skill_resources>\n");
    }
}

/// Escapes the tags of all elements that hosts put around skills.
pub(crate) fn escape_tags(text: &str) -> std::borrow::Cow<'_, str> {
    inside_elements(text, &KNOWN)
}

/// Returns a path on one line, otherwise unchanged, so that a model can copy it.
fn path_line(path: &str) -> String {
    inside_elements(&clean_line(path), &[OWN[0], OWN[1], "file"]).into_owned()
}
