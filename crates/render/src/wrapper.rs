//! What stands around a body that a model reads.

use repertoire_core::text::{clean_line, inside_elements, xml_attribute};
use repertoire_core::{Id, Trust};

/// The element around a body, and the list in it.
const OWN: [&str; 2] = ["skill_content", "skill_resources"];

/// Elements that clients put around bodies and lists of skills: printed text may open or close none of them.
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

/// What stands around a body that a model reads: whose it is, where its relative paths start, and which files lie beside it.
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
/// # Ok::<(), repertoire_core::InvalidId>(())
/// ```
#[derive(Debug, Clone)]
pub struct Wrapper<'a> {
    id: &'a Id,
    source: &'a str,
    trust: Trust,
    base_directory: Option<&'a str>,
    resources: Option<Vec<&'a str>>,
    most: usize,
}

impl<'a> Wrapper<'a> {
    /// How many files are listed at most, unless [`most`](Wrapper::most) says otherwise; and how long the list may get.
    pub const MOST: usize = 50;
    const MOST_BYTES: usize = 8 * 1024;

    /// A wrapper that names the skill and the source it comes from.
    pub fn new(id: &'a Id, source: &'a str) -> Wrapper<'a> {
        Wrapper { id, source, trust: Trust::Trusted, base_directory: None, resources: None, most: Wrapper::MOST }
    }

    /// The same wrapper for a source that is trusted so far. The model is told of every level but the first.
    #[must_use]
    pub fn trust(mut self, trust: Trust) -> Wrapper<'a> {
        self.trust = trust;
        self
    }

    /// The same wrapper with the folder that relative paths start from.
    #[must_use]
    pub fn base_directory(mut self, path: &'a str) -> Wrapper<'a> {
        self.base_directory = Some(path);
        self
    }

    /// The same wrapper with the paths of the files beside the body; none of them is read.
    #[must_use]
    pub fn resources(mut self, paths: impl IntoIterator<Item = &'a str>) -> Wrapper<'a> {
        self.resources = Some(paths.into_iter().collect());
        self
    }

    /// The same wrapper, listing at most so many files.
    #[must_use]
    pub fn most(mut self, files: usize) -> Wrapper<'a> {
        self.most = files;
        self
    }

    /// `text` with the wrapper around it, which nothing in the text closes or opens.
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
            self.list(paths, &mut wrapped);
        }
        wrapped.push_str("</skill_content>\n");
        wrapped
    }

    fn list(&self, paths: &[&str], wrapped: &mut String) {
        let (mut rows, mut listed) = (String::new(), 0);
        for path in paths.iter().take(self.most) {
            let row = format!("<file>{}</file>\n", path_line(path));
            if rows.len() + row.len() > Wrapper::MOST_BYTES {
                break;
            }
            rows.push_str(&row);
            listed += 1;
        }
        let count = paths.len();
        let shown = if listed < count { format!(" shown=\"{listed}\"") } else { String::new() };
        wrapped.push_str(&format!("<skill_resources count=\"{count}\"{shown}>\n{rows}"));
        if listed < count {
            wrapped.push_str(&format!("This list is incomplete: {} more files are not in it.\n", count - listed));
        }
        wrapped.push_str("</skill_resources>\n");
    }
}

/// Returns `text`, which opens and closes no element that stands around skills.
pub(crate) fn escape_tags(text: &str) -> std::borrow::Cow<'_, str> {
    inside_elements(text, &KNOWN)
}

/// Returns a path on one line, word for word, so that a model that copies it finds the file.
fn path_line(path: &str) -> String {
    inside_elements(&clean_line(path), &[OWN[0], OWN[1], "file"]).into_owned()
}
