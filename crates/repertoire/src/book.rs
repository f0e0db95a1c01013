//! Documents whose code is compiled and run with the documentation of this crate.

macro_rules! prose {
    ($($name:ident: $path:literal)*) => {
        $(
            #[doc = include_str!(concat!("../../../", $path))]
            struct $name;
        )*
    };
}

prose! {
    Readme: "README.md"
    GetStarted: "docs/book/src/get-started.md"
    Configuration: "docs/configuration.md"
    Sources: "docs/book/src/sources.md"
    Precedence: "docs/book/src/precedence.md"
    Surfaces: "docs/book/src/surfaces.md"
    Catalog: "docs/book/src/catalog.md"
    Finding: "docs/book/src/finding.md"
    Rendering: "docs/book/src/rendering.md"
    Changes: "docs/book/src/changes.md"
    Composing: "docs/book/src/composing.md"
}
