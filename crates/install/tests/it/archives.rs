//! Good archives.

use repertoire_install::{FileTree, unpack};

use crate::made_tar::{entry, gzip, record, tar};
use crate::made_zip::{ZipEntry, crc, zip};
use crate::skill_text;

fn texts(tree: &FileTree) -> Vec<(String, String)> {
    let files = tree.files();
    let texts = files.map(|(path, bytes)| {
        let text = String::from_utf8(bytes.to_vec()).expect("a text");
        (path.to_string(), text)
    });
    texts.collect()
}

fn unpacked(archive: &[u8]) -> Vec<(String, String)> {
    texts(&unpack(archive).expect("a good archive"))
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = files.iter();
    let pairs = pairs.map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    pairs.collect()
}

#[test]
fn one_skill_unpacks_from_every_format() {
    let text = skill_text("tidy", "Sort.");
    let expected = pairs(&[("SKILL.md", &text), ("scripts/run.sh", "ls\n")]);
    let files = [("SKILL.md", text.as_str()), ("scripts/run.sh", "ls\n")];
    let stored = files.map(|(name, text)| ZipEntry::new(name, text));
    let deflated = files.map(|(name, text)| ZipEntry::deflated(name, text));
    let tarred = tar(&files.map(|(name, text)| entry(format!("./{name}"), b'0', text)));
    for archive in [zip(&stored), zip(&deflated), gzip(&tarred), tarred] {
        assert_eq!(unpacked(&archive), expected);
    }
}

#[test]
fn the_only_folder_at_the_top_disappears() {
    let text = skill_text("tidy", "Sort.");
    let folder = ZipEntry {
        mode: 0o040755,
        ..ZipEntry::new("tidy/", "")
    };
    let archive = zip(&[
        folder,
        ZipEntry::new("tidy/SKILL.md", &text),
        ZipEntry::new("__MACOSX/tidy/._SKILL.md", "x"),
    ]);
    assert_eq!(unpacked(&archive), pairs(&[("SKILL.md", &text)]));
}

#[test]
fn long_and_foreign_names_are_read() {
    let long = format!("{}/notes.md", "a".repeat(120));
    let archive = tar(&[
        entry("pax_global_header", b'g', record("comment", "0123")),
        entry("SKILL.md", b'0', "x"),
        entry("x", b'x', record("path", "résumé.md")),
        entry("short", b'0', "1"),
        entry("././@LongLink", b'L', format!("{long}\0")),
        entry("cut", b'0', "2"),
    ]);
    let expected = [("SKILL.md", "x"), (long.as_str(), "2"), ("résumé.md", "1")];
    assert_eq!(unpacked(&archive), pairs(&expected));
}

#[test]
fn a_streamed_zip_entry_is_read() {
    let fields = [crc(b"x"), 1, 1].map(u32::to_le_bytes).concat();
    for signature in [&b"PK\x07\x08"[..], b""] {
        let streamed = ZipEntry {
            flags: 1 << 3,
            descriptor: [signature, &fields].concat(),
            ..ZipEntry::new("SKILL.md", "x")
        };
        let archive = zip(&[streamed, ZipEntry::new("a.md", "y")]);
        assert_eq!(
            unpacked(&archive),
            pairs(&[("SKILL.md", "x"), ("a.md", "y")])
        );
    }
}
