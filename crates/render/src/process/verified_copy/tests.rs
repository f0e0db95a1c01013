use repertoire_core::Digest;

use super::names_files;
use crate::{Binding, Plan, Syntax};

#[test]
fn commands_name_files_by_name_and_folder() {
    let mut binding = Binding::new(
        "home:it".parse().expect("an id"),
        Digest::of(b""),
        &repertoire_core::Manifest::default(),
    );
    binding.files = ["run.sh", "scripts/deep/x.py"]
        .map(|path| (path.parse().expect("a path"), Digest::of(b"")))
        .into();
    let check = |command: &str| {
        let body = format!("```!\n{command}\n```\n");
        let plan = Plan::new(&body, &Syntax::default());
        names_files(&plan.directives()[0], &binding)
    };
    for command in [
        "sh run.sh",
        "./run.sh",
        "sh<run.sh",
        "python3 scripts/deep/x.py",
        "cd scripts/deep && python3 x.py",
        "sh scripts/*.sh",
        "for f in ./scripts/*; do sh $f; done",
        "make -C \"$CLAUDE_SKILL_DIR\"",
        "ls ${SKILL_DIR}",
    ] {
        assert!(check(command), "{command}");
    }
    for command in [
        "git status",
        "sh xrun.sh",
        "run.sh.bak",
        "ls /usr/scripts/",
        "ls myscripts/",
        "echo scripts",
    ] {
        assert!(!check(command), "{command}");
    }
}
