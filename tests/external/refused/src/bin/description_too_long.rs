use repertoire_source_static::StaticSkill;

const LONG: &str = match std::str::from_utf8(&[b'a'; 1025]) {
    Ok(text) => text,
    Err(_) => "",
};

const DEPLOY: StaticSkill = StaticSkill::new("deploy", LONG, "Ship it.\n");

fn main() {
    assert_eq!(DEPLOY.id(), "deploy");
}
