use super::*;
use crate::SkippedFolder;

#[test]
fn files_of_systems_and_editors_are_litter() {
    let names = [
        ".DS_Store",
        ".ds_store",
        "Thumbs.db",
        "desktop.ini",
        "Desktop.ini",
        ".directory",
        "._SKILL.md",
        "._x",
        "Icon\r",
        "SKILL.md~",
        ".SKILL.md.swp",
        ".guide.md.swo",
        ".x.swn",
        "#SKILL.md#",
        ".#SKILL.md",
        "~$deck.pptx",
        ".~lock.deck.odp#",
        ".nfs000000000012",
        ".DS_Store\u{200B}",
        "thumbs.db.",
    ];
    for name in names {
        assert_eq!(SkippedFile::of(name), Some(SkippedFile::Litter), "{name:?}");
    }
}

#[test]
fn secret_file_names_match_in_every_spelling() {
    let names = [
        ".env",
        ".ENV",
        ".Env.Local",
        ".env.local",
        ".env.production",
        ".env.bak",
        ".env~",
        ".env.example.local",
        ".envrc",
        "prod.env",
        "Staging.ENV",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".git-credentials",
        "id_rsa",
        "ID_RSA",
        "id_ed25519",
        "id_ed25519.bak",
        "server.key",
        "cert.P12",
        "store.pfx",
        "private.pem",
        ".env.",
        ".env ",
        ".env::$DATA",
        ".e\u{200C}nv",
        "\u{FEFF}.env",
        "id_r\u{17F}a",
        "\u{FF0E}env",
        ".env.local.swp",
    ];
    for name in names {
        assert_eq!(SkippedFile::of(name), Some(SkippedFile::Secret), "{name:?}");
    }
}

#[test]
fn honest_dot_files_are_parts() {
    let names = [
        ".gitignore",
        ".gitattributes",
        ".prettierrc",
        ".editorconfig",
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env.dist",
        ".ENV.EXAMPLE",
        "env",
        "example.env",
        "Sample.env",
        "environment.md",
        ".environment",
        "id_rsa.pub",
        "keys.md",
        "key",
        ".key",
        "~",
        "#",
        "##",
        "#1.md",
        "a#",
        ".#",
        "._",
        "swp",
        "notes.swp.md",
        "run.py",
        "학점.md",
        "Icon",
        ".swp",
    ];
    for name in names {
        assert_eq!(SkippedFile::of(name), None, "{name:?}");
    }
}

#[test]
fn folders_of_tools_are_known_in_every_spelling() {
    for name in [
        ".git",
        ".GIT",
        ".g\u{200C}it",
        ".git.",
        "Node_Modules",
        "__pycache__",
        "__macosx",
        ".ssh",
        ".Docker",
        ".VENV",
    ] {
        assert!(
            SkippedFolder::of(name).is_some_and(SkippedFolder::is_apart),
            "{name:?}"
        );
    }
    for (name, expected) in [
        ("build", Some(SkippedFolder::Output)),
        ("Build", None),
        ("git", None),
        ("assets", None),
    ] {
        assert_eq!(SkippedFolder::of(name), expected, "{name:?}");
    }
}
