//! How much of a body was looked at, counted in tests of this crate and nowhere else.

#[cfg(not(test))]
pub(crate) fn looked_at(_bytes: usize) {}

#[cfg(test)]
thread_local! {
    static BYTES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
pub(crate) fn looked_at(bytes: usize) {
    // Each look costs something, however short it is.
    BYTES.set(BYTES.get() + bytes + 1);
}

#[cfg(test)]
mod tests {
    use super::BYTES;
    use crate::{Arguments, Context, Dialect, Plan, Reach, Syntax, Unknown};

    /// What it takes to render `piece`, so many times in a row.
    fn work(piece: &str, times: usize, syntax: &Syntax) -> usize {
        let body = piece.repeat(times);
        let context = Context::new().unknown(Unknown::Empty).arguments(Arguments::new("a b"));
        BYTES.set(0);
        Plan::new(&body, syntax).render(&context, []).expect("nothing aborts");
        BYTES.get()
    }

    #[test]
    fn twice_the_body_is_twice_the_work() {
        let named = || Syntax::named(Dialect::OPENCODE).names(["a", "ab", "issue"]);
        for piece in [
            "text\n",
            "$",
            "${",
            "${a",
            "$ARGUMENTS[",
            "$ARGUMENTS[0",
            "\\",
            "\\$1 ",
            "\\\\$1",
            "!",
            "! \t ",
            " !{script: a.sh, ",
            "!{script: a.sh, k: \"",
            " !`",
            "`",
            "``",
            "```!\n",
            "```\n",
            "~~~!\n!`a`\n",
            "<!--",
            "-->",
            "<!-- -->",
            " <!--`",
            "\\<!--",
            "<!-- `-->`",
            "<div>\n<!--\n\n",
            "${a} ",
            "$1 ",
            "$abc",
            "$abé",
            "!`a` ",
            "!`a\nb` ",
            "!{script: a} ",
            "\\!`a` ",
            "> ",
            "- $1\n",
        ] {
            for syntax in [named(), named().reach(Reach::TextAndCode), Syntax::named(Dialect::OPENCLAW)] {
                let (once, twice) = (work(piece, 4000, &syntax), work(piece, 8000, &syntax));
                assert!(once > 0 && twice <= 2 * once + once / 8, "{piece:?}: {once}, then {twice}");
            }
        }
    }
}
