use super::*;

#[test]
fn a_probe_reports_known_requirements_only() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes"), "").unwrap();
    let program = if cfg!(windows) { "tool.exe" } else { "tool" };
    std::fs::write(folder.path().join(program), "").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = folder.path().join(program);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut environment = Environment::new(folder.path());
    let unknown = HostProbe::of(&environment);
    let variables = [
        ("PATH", folder.path().as_os_str()),
        ("TOKEN", "x".as_ref()),
        ("EMPTY", "".as_ref()),
    ];
    environment.variables = variables
        .map(|(name, value)| (name.into(), value.to_owned()))
        .into();
    let known = HostProbe::of(&environment);
    for (kind, name, expected) in [
        (RequirementKind::Program, program, Some(true)),
        (RequirementKind::Program, "none", Some(false)),
        (RequirementKind::Program, "../tool", Some(false)),
        (RequirementKind::Variable, "TOKEN", Some(true)),
        (RequirementKind::Variable, "EMPTY", Some(false)),
        (RequirementKind::Variable, "NONE", Some(false)),
        (RequirementKind::Setting, "browser.enabled", None),
        (RequirementKind::Tool, "search", None),
    ] {
        assert_eq!(known.has(kind, name), expected, "{kind:?} {name}");
        assert_eq!(unknown.has(kind, name), None, "{kind:?} {name}");
    }
    assert_eq!(
        known.has(RequirementKind::System, std::env::consts::OS),
        Some(true)
    );
    assert_eq!(known.has(RequirementKind::System, "plan9"), Some(false));
    #[cfg(unix)]
    assert_eq!(
        known.has(RequirementKind::Program, "notes"),
        Some(false),
        "it cannot be started"
    );
}
