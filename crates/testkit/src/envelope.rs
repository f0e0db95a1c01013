//! The envelopes that editors and tools leave around front matter.

/// A spelling of everything in a `SKILL.md` but its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    mark: &'static str,
    ahead: &'static str,
    closing: &'static str,
    tail: &'static str,
    end: &'static str,
}

impl Envelope {
    /// Returns every combination of byte-order mark, lines ahead, closing fence, what follows it, and line end.
    ///
    /// A source that lists a skill in one of them must give its body, see
    /// [`what_is_listed_can_be_read`](crate::promise::what_is_listed_can_be_read).
    pub fn all() -> Vec<Envelope> {
        let mut all = Vec::new();
        for mark in ["", "\u{FEFF}"] {
            for ahead in ["", "<!-- made by a tool -->\n\n"] {
                for closing in ["---", "---\t ", "..."] {
                    for tail in ["", "\n", "\r", "\nBody.", "\n\nBody.\n"] {
                        for end in ["\n", "\r\n", "\r"] {
                            all.push(Envelope { mark, ahead, closing, tail, end });
                        }
                    }
                }
            }
        }
        all
    }

    /// Returns a whole file with these lines as its front matter.
    pub fn around(&self, fields: &str) -> String {
        let Envelope { mark, ahead, closing, tail, end } = self;
        let lines = format!("{ahead}---\n{fields}\n{closing}{tail}");
        format!("{mark}{}", lines.replace('\n', end))
    }

    /// Returns the body that a reader gets: without leading blank lines, `\r\n` as `\n`.
    pub fn body(&self) -> String {
        let end = if self.end == "\r\n" { "\n" } else { self.end };
        self.tail.trim_start().replace('\n', end)
    }
}
