//! Sources under test.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use repertoire_core::{Id, Item, ResourcePath, Skill, Source};

/// A source of items under test, and operations that modify its data. The items are skills by default.
///
/// Only [`source`](Fixture::source) is required. [`watches`](Fixture::watches), [`reads_bodies`](Fixture::reads_bodies) and
/// [`reads_resources`](Fixture::reads_resources) declare what the source supports; the default is everything. Operations that
/// are not implemented return [`Unsupported`], and tests that need them are skipped.
///
/// When an operation returns, bodies and resources must reflect it. The listing may reflect it later.
#[expect(
    async_fn_in_trait,
    reason = "tests use a fixture in place and never spawn it"
)]
pub trait Fixture<T: Item = Skill> {
    /// The type of the source.
    type Source: Source<T>;

    /// Returns the source, the same one in every call.
    fn source(&self) -> Arc<Self::Source>;

    /// Returns an error if the source does not signal changes through [`Source::changed`].
    ///
    /// # Errors
    /// [`Unsupported`] with the reason.
    fn watches(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Returns an error if the source has no bodies.
    ///
    /// # Errors
    /// [`Unsupported`] with the reason.
    fn reads_bodies(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Returns an error if the source has no resources.
    ///
    /// # Errors
    /// [`Unsupported`] with the reason.
    fn reads_resources(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Adds a skill, or replaces the skill with this id and keeps its resources.
    ///
    /// # Errors
    /// [`Unsupported`] by default.
    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let _ = (id, description, body);
        Err(Unsupported::operation("put a skill"))
    }

    /// Adds a skill with `document` as the content of its `SKILL.md`.
    ///
    /// # Errors
    /// [`Unsupported`] by default.
    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unsupported> {
        let _ = (id, document);
        Err(Unsupported::operation("put the file of a skill"))
    }

    /// Removes an existing skill.
    ///
    /// # Errors
    /// [`Unsupported`] by default.
    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        let _ = id;
        Err(Unsupported::operation("remove a skill"))
    }

    /// Adds an entry that the source cannot parse, with `id` as its name.
    ///
    /// # Errors
    /// [`Unsupported`] by default.
    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        let _ = id;
        Err(Unsupported::operation("put a malformed entry"))
    }

    /// Adds a file to an existing skill, or replaces the file at this path.
    ///
    /// # Errors
    /// [`Unsupported`] by default.
    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        let _ = (id, path, bytes);
        Err(Unsupported::operation("put a resource"))
    }

    /// Adds links that lead out of an existing skill (to files, folders and the parent), and returns paths through them.
    ///
    /// # Errors
    /// [`Unsupported`] by default.
    async fn hostile_resource_paths(&mut self, id: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        let _ = id;
        Err(Unsupported::operation("plant a link that leaves a skill"))
    }

    /// Returns the raw bytes of an existing skill, which its digest identifies.
    ///
    /// # Errors
    /// [`Unsupported`] by default.
    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        let _ = id;
        Err(Unsupported::operation("show the raw content of a skill"))
    }
}

/// The reason why a fixture does not support an operation, and why a test was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported(Cow<'static, str>);

impl Unsupported {
    /// Creates the reason "the fixture cannot `action`".
    pub fn operation(action: &str) -> Unsupported {
        Unsupported(format!("the fixture cannot {action}").into())
    }

    /// Creates a reason from a text in lower case without a final dot.
    pub fn because(reason: impl Into<Cow<'static, str>>) -> Unsupported {
        Unsupported(reason.into())
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Unsupported {}

/// A spelling of everything in a `SKILL.md` except its fields, as editors and tools write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    mark: &'static str,
    ahead: &'static str,
    closing: &'static str,
    tail: &'static str,
    end: &'static str,
}

impl Envelope {
    /// Returns every combination of byte-order mark, lines before, closing fence, text after it, and line ending.
    pub fn all() -> Vec<Envelope> {
        let mut all = Vec::new();
        for mark in ["", "\u{FEFF}"] {
            for ahead in ["", "<!-- made by a tool -->\n\n"] {
                for closing in ["---", "---\t ", "..."] {
                    for tail in ["", "\n", "\r", "\nBody.", "\n\nBody.\n"] {
                        for end in ["\n", "\r\n", "\r"] {
                            all.push(Envelope {
                                mark,
                                ahead,
                                closing,
                                tail,
                                end,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    /// Returns the content of a file with these lines as its front matter.
    pub fn around(&self, fields: &str) -> String {
        let Envelope {
            mark,
            ahead,
            closing,
            tail,
            end,
        } = self;
        let lines = format!("{ahead}---\n{fields}\n{closing}{tail}");
        format!("{mark}{}", lines.replace('\n', end))
    }

    /// Returns the expected body: without leading blank lines, and with `\n` for `\r\n`.
    pub fn body(&self) -> String {
        let end = if self.end == "\r\n" { "\n" } else { self.end };
        self.tail.trim_start().replace('\n', end)
    }
}
