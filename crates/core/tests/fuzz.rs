//! The laws of the `SKILL.md` parser and of its formatter over made-up bytes, and over every input that once broke one.

#[path = "laws/formatting.rs"]
mod formatting;
mod laws;

use proptest::prelude::*;

const VALID: &[u8] =
    b"---\nname: tidy-up\ndescription: >-\n  Sorts a folder,\n  by type.\nallowed-tools: Read, Bash(ls:*)\n\
    disable-model-invocation: yes\nargument-hint: [folder]\nmetadata:\n  version: 1.0\n  tags: [a, \"b\"]\n\
    surface: both\n---\n\n# Tidy up\n\nSort it.\n";

/// Inputs that broke a law once.
const FOUND: &[&[u8]] = &[
    include_bytes!("fuzz-inputs/carriage-return-after-fence.md"),
    include_bytes!("fuzz-inputs/two-carriage-returns.md"),
    include_bytes!("fuzz-inputs/wide-blank-in-anchor.md"),
    include_bytes!("fuzz-inputs/words-below-a-name.md"),
];

#[test]
fn known_inputs_satisfy_the_laws() {
    FOUND.iter().for_each(|input| hold(input));
}

fn hold(bytes: &[u8]) {
    laws::hold(bytes);
    formatting::hold(bytes);
}

/// Pieces that mean something to the parser, in any order.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = proptest::sample::select(
        &[
            "---\n",
            "...\n",
            "--- \t\n",
            "\u{feff}",
            "\r\n",
            "\r",
            "\n",
            " ",
            "  ",
            "\t",
            "<!--",
            "-->",
            "name: ",
            "name:x",
            "id: ",
            "description: ",
            "allowed-tools: ",
            "disable-model-invocation: ",
            "user-invocable:",
            "allowedWorkflows: ",
            "argument-hint: [a",
            "metadata:\n",
            "compatibility: ",
            "surface: both",
            "a",
            "x: y",
            "\"",
            "'",
            "[",
            "]",
            "{",
            "}",
            ",",
            "#",
            " # c",
            "&a ",
            "*a",
            "!!str ",
            "|\n",
            ">-\n",
            "- ",
            "? ",
            "%YAML 1.2\n",
            "\u{0}",
            "\u{202e}",
            "\u{e0041}",
            "é",
            "(",
            ")",
            "@",
            "`",
        ][..],
    );
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        hold(&bytes);
    }

    #[test]
    fn pieces_of_front_matter(bytes in pieces(), closed in any::<bool>()) {
        let mut file = b"---\n".to_vec();
        file.extend(&bytes);
        if closed {
            file.extend(b"\ndescription: Does it.\n---\nBody.\n");
        }
        hold(&bytes);
        hold(&file);
    }

    #[test]
    fn mutated_files(edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..8)) {
        let mut file = VALID.to_vec();
        for (at, byte, kind) in edits {
            let at = at.index(file.len());
            match kind {
                0 => file[at] = byte,
                1 => file.insert(at, byte),
                _ => drop(file.remove(at)),
            }
        }
        hold(&file);
    }

    #[test]
    fn a_head_is_never_final_too_early(cut in any::<prop::sample::Index>(), bytes in pieces()) {
        use repertoire_core::skill_md::find_front_matter_end;
        let cut = cut.index(bytes.len() + 1);
        if let (Some(early), Some(whole)) = (find_front_matter_end(&bytes[..cut]), find_front_matter_end(&bytes)) {
            // Without front matter all the bytes at hand are the head.
            prop_assert!(early == whole || early == cut && whole == bytes.len());
        }
    }
}
