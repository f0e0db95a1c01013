//! Spellings of everything around front matter.

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
                            all.push(Envelope { mark, ahead, closing, tail, end });
                        }
                    }
                }
            }
        }
        all
    }

    /// Returns the content of a file with these lines as its front matter.
    pub fn around(&self, fields: &str) -> String {
        let Envelope { mark, ahead, closing, tail, end } = self;
        let lines = format!("{ahead}---\n{fields}\n{closing}{tail}");
        format!("{mark}{}", lines.replace('\n', end))
    }

    /// Returns the expected body: without leading blank lines, and with `\n` for `\r\n`.
    pub fn body(&self) -> String {
        let end = if self.end == "\r\n" { "\n" } else { self.end };
        self.tail.trim_start().replace('\n', end)
    }
}
