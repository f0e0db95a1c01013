//! Hostile archives: each is refused, and the reason is named.

use repertoire_install::{InstallErrorKind, unpack};

use crate::made_tar::{entry, gzip, record, sized_entry, tar, with_sum};
use crate::made_zip::{ZipEntry, crc, finish, zip, zip_with_overlap};
use crate::skill_text;

/// A hostile archive, with a part of the message.
struct Hostile(String, Vec<u8>, &'static str);

/// Returns names of files that are unsafe or ambiguous, each with a part of the message.
fn names() -> Vec<(String, &'static str)> {
    let deep = vec!["d"; 33].join("/");
    let names: [(&str, &str); 28] = [
        ("../evil", "dots only"),
        ("a/../../evil", "dots only"),
        ("a/./b", "dots only"),
        ("/etc/passwd", "absolute"),
        ("//server/share", "absolute"),
        ("C:/evil", "drive letter"),
        ("c:evil", "drive letter"),
        ("a\\..\\evil", "backslash"),
        ("a//b", "empty segment"),
        ("a/ /b", "dots only"),
        ("a/.. /b", "dots only"),
        ("a/...", "dots only"),
        ("new\nline", "control character"),
        ("bell\u{7}", "control character"),
        ("con", "Windows reserves"),
        ("a/NUL.txt", "Windows reserves"),
        ("aux.md", "Windows reserves"),
        ("COM1", "Windows reserves"),
        ("lpt¹.txt", "Windows reserves"),
        ("SKILL.md:stream", "Windows does not allow"),
        ("what?.md", "Windows does not allow"),
        ("a/dot.", "ends with a dot"),
        ("trailing ", "blank"),
        (" leading", "blank"),
        ("r\u{202e}dm.exe", "hidden characters"),
        ("zero\u{200b}width", "hidden characters"),
        ("tag\u{e0041}", "hidden characters"),
        (&deep, "deeper"),
    ];
    let mut names: Vec<_> = names.map(|(name, why)| (name.to_owned(), why)).into();
    names.push(("n".repeat(300), "longer than 255"));
    names.push((format!("{}x", "abc/".repeat(300)), "at most"));
    names
}

/// Returns pairs of names that a file system may take for one.
fn collisions() -> [(&'static str, &'static str, &'static str); 6] {
    [
        ("notes.md", "notes.md", "comes twice"),
        ("notes.md", "NOTES.md", "one name"),
        ("Docs/a.md", "docs/b.md", "one name"),
        ("re\u{301}.md", "ré.md", "one name"),
        ("ﬁle.md", "file.md", "one name"),
        ("a", "a/b", "file and a folder"),
    ]
}

fn named() -> Vec<Hostile> {
    let skill = skill_text("tidy", "Sort.");
    let mut made = Vec::new();
    for (name, why) in names() {
        let entries = [ZipEntry::new("SKILL.md", &skill), ZipEntry::new(&name, "x")];
        made.push(Hostile(format!("zip {name:.40?}"), zip(&entries), why));
        let long = [
            entry("SKILL.md", b'0', &skill),
            entry("x", b'x', record("path", &name)),
            entry("x", b'0', "x"),
        ];
        let why = if name.len() > 1024 { "pax header" } else { why };
        made.push(Hostile(format!("tar {name:.40?}"), gzip(&tar(&long)), why));
    }
    for (one, other, why) in collisions() {
        let entries = ["SKILL.md", one, other].map(|name| ZipEntry::new(name, "x"));
        made.push(Hostile(
            format!("zip {one:?} {other:?}"),
            zip(&entries),
            why,
        ));
        let entries = ["SKILL.md", one, other].map(|name| entry(name, b'0', "x"));
        made.push(Hostile(
            format!("tar {one:?} {other:?}"),
            tar(&entries),
            why,
        ));
    }
    made
}

fn zips() -> Vec<Hostile> {
    let good = ZipEntry::new("SKILL.md", skill_text("tidy", "Sort."));
    let one = |name: &str, change: &dyn Fn(&mut ZipEntry), why| {
        let mut entry = ZipEntry::new("a.md", "x");
        change(&mut entry);
        Hostile(format!("zip {name}"), zip(&[good.clone(), entry]), why)
    };
    let archive = zip(std::slice::from_ref(&good));
    let bytes = |name: &str, bytes: Vec<u8>, why| Hostile(format!("zip {name}"), bytes, why);
    let end = archive.len() - 22;
    let patched = |at: usize, value: u8| {
        let mut bytes = archive.clone();
        bytes[at] = value;
        bytes
    };
    let bomb = ZipEntry::deflated("zeros", vec![0; 15 << 20]);
    let lie = ZipEntry {
        size: 1,
        local_size: 1,
        ..bomb.clone()
    };
    vec![
        one(
            "symbolic link",
            &|entry| entry.mode = 0o120777,
            "symbolic link",
        ),
        one("device", &|entry| entry.mode = 0o020644, "neither a file"),
        one("pipe", &|entry| entry.mode = 0o010644, "neither a file"),
        one("socket", &|entry| entry.mode = 0o140644, "neither a file"),
        one(
            "folder as file",
            &|entry| entry.mode = 0o040755,
            "neither a file",
        ),
        one("encrypted", &|entry| entry.flags = 1, "encrypted"),
        one(
            "strongly encrypted",
            &|entry| entry.flags = 1 << 6,
            "encrypted",
        ),
        one("masked", &|entry| entry.flags = 1 << 13, "encrypted"),
        one("bzip2", &|entry| entry.method = 12, "unknown way"),
        one("wrong checksum", &|entry| entry.crc ^= 1, "checksum"),
        one(
            "wrong size",
            &|entry| (entry.size, entry.local_size) = (2, 2),
            "different size",
        ),
        one("two sizes", &|entry| entry.local_size = 2, "contradict"),
        one(
            "two names",
            &|entry| entry.local_name = b"b.md".to_vec(),
            "contradict",
        ),
        one(
            "gap",
            &|entry| entry.gap = b"hidden".to_vec(),
            "hidden between",
        ),
        one(
            "descriptor",
            &|entry| (entry.flags, entry.descriptor) = (1 << 3, vec![9; 12]),
            "hidden between",
        ),
        one(
            "latin1",
            &|entry| (entry.name, entry.flags) = (b"\xe9.md".to_vec(), 0),
            "not UTF-8",
        ),
        one(
            "unmarked",
            &|entry| (entry.name, entry.flags) = ("é.md".into(), 0),
            "unknown encoding",
        ),
        one(
            "unicode path",
            &|entry| entry.extra = b"\x75\x70\x09\x00\x01\0\0\0\0evil".to_vec(),
            "extra field",
        ),
        one(
            "zip64 extra",
            &|entry| entry.extra = vec![1, 0, 0, 0],
            "extra field",
        ),
        one(
            "folder with data",
            &|entry| {
                (entry.name, entry.local_name, entry.mode) =
                    (b"d/".to_vec(), b"d/".to_vec(), 0o040755);
            },
            "folder with a size",
        ),
        bytes("overlap", zip_with_overlap(&good, &good), "hidden between"),
        bytes(
            "trailing data",
            [&archive[..], &b"more"[..]].concat(),
            "data follows",
        ),
        bytes(
            "leading data",
            [&b"PK\x03\x04"[..], &archive[..]].concat(),
            "before its start",
        ),
        bytes("truncated", archive[..archive.len() - 4].to_vec(), "no end"),
        bytes("short", b"PK\x05\x06".to_vec(), "truncated"),
        bytes("empty", zip(&[]), "no files"),
        bytes("two disks", patched(end + 4, 1), "several parts"),
        bytes("count", patched(end + 10, 7), "several parts"),
        bytes("directory offset", patched(end + 16, 1), "before its start"),
        bytes(
            "two archives",
            [&archive[..], &archive[..]].concat(),
            "before its start",
        ),
        bytes(
            "zip64",
            {
                let mut bytes = archive.clone();
                bytes[end + 16..end + 20].fill(0xff);
                bytes
            },
            "zip64",
        ),
        bytes(
            "two ends",
            {
                let mut bytes = archive.clone();
                bytes[end + 20] = 22;
                [bytes, archive[end..].to_vec()].concat()
            },
            "two ends",
        ),
        bytes(
            "directory with more",
            finish(Vec::new(), b"PK\x01\x02", 0),
            "wrong length",
        ),
        bytes("missing entry", finish(Vec::new(), b"", 1), "is missing"),
        bytes(
            "bomb by ratio",
            zip(&[good.clone(), bomb.clone()]),
            "times its size",
        ),
        bytes(
            "bomb with a lie",
            zip(&[good.clone(), lie]),
            "larger than stated",
        ),
        bytes(
            "large file",
            zip(&[
                good.clone(),
                ZipEntry {
                    size: (16 << 20) + 1,
                    local_size: (16 << 20) + 1,
                    ..ZipEntry::new("big", vec![7; 1 << 20])
                },
            ]),
            "at most",
        ),
        bytes(
            "many files",
            zip(&(0..10_001)
                .map(|number| ZipEntry::new(format!("r/{number}"), ""))
                .collect::<Vec<_>>()),
            "more than 10000 files",
        ),
        bytes(
            "several roots",
            zip(&["a/SKILL.md", "b/SKILL.md"].map(|name| ZipEntry::new(name, "x"))),
            "several roots",
        ),
        bytes(
            "file beside the root",
            zip(&["a/SKILL.md", "b"].map(|name| ZipEntry::new(name, "x"))),
            "several roots",
        ),
    ]
}

fn tars() -> Vec<Hostile> {
    let good = entry("SKILL.md", b'0', skill_text("tidy", "Sort."));
    let one = |name: &str, bytes: Vec<u8>, why| {
        Hostile(format!("tar {name}"), tar(&[good.clone(), bytes]), why)
    };
    let bytes = |name: &str, bytes: Vec<u8>, why| Hostile(format!("tar {name}"), bytes, why);
    let archive = tar(std::slice::from_ref(&good));
    let long = |name: &str| entry("x", b'x', record("path", name));
    let old = {
        let mut header = entry("a", b'0', "");
        header[257..265].fill(0);
        with_sum(header)
    };
    let mut wrong_sum = entry("a", b'0', "");
    wrong_sum[0] = b'b';
    let mut padded = entry("a", b'0', "x");
    padded[512 + 100] = 1;
    let two_members = [gzip(&archive[..512]), gzip(&archive[512..])].concat();
    vec![
        one("hard link", entry("a", b'1', ""), "hard link"),
        one("symbolic link", entry("a", b'2', ""), "symbolic link"),
        one("character device", entry("a", b'3', ""), "device"),
        one("block device", entry("a", b'4', ""), "device"),
        one("pipe", entry("a", b'6', ""), "pipe"),
        one("sparse file", entry("a", b'S', ""), "sparse"),
        one(
            "pax sparse",
            entry("a", b'x', record("GNU.sparse.major", "1")),
            "sparse",
        ),
        one("long link", entry("a", b'K', "target\0"), "long name"),
        one("unknown kind", entry("a", b'V', ""), "unknown kind"),
        one("folder with data", entry("d/", b'5', "x"), "has a size"),
        one("wrong checksum", wrong_sum, "checksum"),
        one("old format", old, "old format"),
        one("hidden padding", padded, "hidden behind"),
        one(
            "negative size",
            sized_entry("a", b'0', "", "-0000000001\0"),
            "invalid number",
        ),
        one(
            "base 256",
            sized_entry("a", b'0', "", [0x80; 12]),
            "invalid number",
        ),
        one(
            "huge size",
            sized_entry("a", b'0', "", "77777777777\0"),
            "at most",
        ),
        one(
            "size beyond the end",
            sized_entry("a", b'0', "", "00000100000\0"),
            "truncated",
        ),
        one(
            "pax size",
            entry("a", b'x', record("size", "0")),
            "pax header",
        ),
        one(
            "pax link",
            entry("a", b'x', record("linkpath", "/etc")),
            "pax header",
        ),
        one(
            "pax charset",
            entry("a", b'x', record("hdrcharset", "BINARY")),
            "pax header",
        ),
        one("pax length", entry("a", b'x', "99 path=b\n"), "pax header"),
        one(
            "pax without end",
            entry("a", b'x', "8 path=b"),
            "pax header",
        ),
        one(
            "global path",
            entry("a", b'g', record("path", "b")),
            "global header",
        ),
        one(
            "two long names",
            [long("b"), long("c")].concat(),
            "two long names",
        ),
        one("long name alone", long("b"), "no entry"),
        one(
            "large header",
            entry("a", b'x', vec![b' '; 70_000]),
            "bytes",
        ),
        one("latin1", entry(b"\xe9.md", b'0', ""), "not UTF-8"),
        bytes(
            "trailing data",
            [&archive[..], &[1; 512][..]].concat(),
            "data follows",
        ),
        bytes("truncated", archive[..600].to_vec(), "truncated"),
        bytes("without end", good.clone(), "truncated"),
        bytes("empty", tar(&[entry("d/", b'5', "")]), "no files"),
        bytes(
            "several roots",
            tar(&["a/SKILL.md", "b/x"].map(|name| entry(name, b'0', ""))),
            "several roots",
        ),
        bytes(
            "gzip with data behind",
            [gzip(&archive), b"more".to_vec()].concat(),
            "data follows",
        ),
        bytes("gzip of two members", two_members, "data follows"),
        bytes(
            "gzip with wrong checksum",
            {
                let mut bytes = gzip(&archive);
                let at = bytes.len() - 6;
                bytes[at] ^= 1;
                bytes
            },
            "not valid gzip",
        ),
        bytes(
            "gzip truncated",
            gzip(&archive)[..40].to_vec(),
            "not valid gzip",
        ),
        bytes("gzip bomb", gzip(&vec![0; 40 << 20]), "times its size"),
        bytes("gzip in gzip", gzip(&gzip(&archive)), "truncated"),
        bytes(
            "many files",
            tar(&(0..10_001)
                .map(|number| entry(format!("r/{number}"), b'0', ""))
                .collect::<Vec<_>>()),
            "more than 10000 files",
        ),
        bytes("not an archive", b"hello".to_vec(), "not a zip"),
        bytes("nothing", Vec::new(), "not a zip"),
    ]
}

#[test]
fn hostile_archives_are_refused() {
    let all: Vec<Hostile> = [named(), zips(), tars()].into_iter().flatten().collect();
    assert!(all.len() >= 60, "{} archives", all.len());
    let mut wrong = Vec::new();
    for Hostile(name, archive, why) in &all {
        match unpack(archive) {
            Err(error) if error.kind() == InstallErrorKind::Refused => {
                let message = format!("{error}{}", error.fix().unwrap_or_default());
                if !message.contains(why) {
                    wrong.push(format!("{name}: expected `{why}`, found `{message}`"));
                }
            }
            other => wrong.push(format!("{name}: expected `{why}`, found {other:?}")),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_cut_archive_is_never_unpacked() {
    let entries = [
        ZipEntry::new("SKILL.md", skill_text("tidy", "Sort.")),
        ZipEntry::deflated("a.md", "text ".repeat(50)),
    ];
    let tarred = tar(&[entry("SKILL.md", b'0', "x"), entry("a.md", b'0', "y")]);
    for archive in [zip(&entries), gzip(&tarred)] {
        for length in 0..archive.len() {
            let error = unpack(&archive[..length]).expect_err("it is cut");
            assert_eq!(error.kind(), InstallErrorKind::Refused);
        }
    }
}

#[test]
fn a_checksum_covers_each_byte() {
    let text = skill_text("tidy", "Sort.");
    let archive = zip(&[ZipEntry::deflated("SKILL.md", &text)]);
    let good = unpack(&archive).expect("it is good");
    for at in 0..archive.len() {
        let mut changed = archive.clone();
        changed[at] ^= 0x10;
        if let Ok(tree) = unpack(&changed) {
            assert_eq!(
                crc(&tree.files().next().expect("one").1[..]),
                crc(text.as_bytes())
            );
            assert_eq!(tree.files().count(), good.files().count());
        }
    }
}
