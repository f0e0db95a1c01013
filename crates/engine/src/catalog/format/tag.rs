//! What the texts of a skill are called.

/// What a text is called: by name, and as an element, written out because every line has them.
pub(super) struct Tag {
    pub(super) name: &'static str,
    pub(super) open: &'static str,
    pub(super) close: &'static str,
}

impl Tag {
    pub(super) const NAME: Tag = Tag { name: "name", open: "<name>", close: "</name>" };
    pub(super) const DESCRIPTION: Tag = Tag { name: "description", open: "<description>", close: "</description>" };
    pub(super) const SOURCE: Tag = Tag { name: "source", open: "<source>", close: "</source>" };
    pub(super) const LOCATION: Tag = Tag { name: "location", open: "<location>", close: "</location>" };
    pub(super) const SUGGESTED: Tag = Tag { name: "suggested", open: "<suggested>", close: "</suggested>" };
    pub(super) const NOTE: Tag = Tag { name: "note", open: "<note>", close: "</note>" };
}
