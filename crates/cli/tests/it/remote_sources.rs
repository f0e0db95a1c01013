//! Sources of the kinds `http` and `oci` in a configuration file.

use repertoire_testkit::StaticServer;
use serde_json::json;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

const LOGIN: &str = "dXNlcjpwYXNz";

#[test]
fn each_kind_has_references_of_its_own() {
    let env = TestEnv::new();
    env.file(
        "oci.toml",
        "[[source]]\nkind = \"oci\"\nname = \"team\"\nurl = \"https://skills.test\"\n",
    )
    .file(
        "http.toml",
        "[[source]]\nkind = \"http\"\nname = \"team\"\nurl = \"oci://skills.test/all:1.0\"\n",
    );
    assert_data_eq!(
        env.run(&["list", "--config", "oci.toml", "--connect"])
            .failure(),
        str![[r#"
error: `https://skills.test` is not in an OCI registry; write `oci://HOST/NAME:TAG`
 --> oci.toml:4:1
  |
4 | url = "https://skills.test"
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^

"#]]
    );
    assert_data_eq!(
        env.run(&["list", "--config", "http.toml", "--connect"])
            .failure(),
        str![[r#"
error: `oci://skills.test/all:1.0` is not on a web server; write `https://HOST` or the URL of an archive
 --> http.toml:4:1
  |
4 | url = "oci://skills.test/all:1.0"
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

"#]]
    );
}

#[test]
fn a_registry_gets_the_login_of_docker() {
    let registry = StaticServer::start();
    let address = registry.url("").replace("http://", "");
    registry.answer(
        "/v2/team/skills/manifests/1.0",
        "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"team\"\r\nContent-Length: 0",
        "",
    );
    let env = TestEnv::new();
    let config = format!(
        "[[source]]\nkind = \"oci\"\nname = \"team\"\nurl = \"oci://{address}/team/skills:1.0\"\nallow-hosts = [\"127.0.0.1\"]\n"
    );
    let logins = json!({ "auths": { (address.as_str()): { "auth": LOGIN } } });
    env.file("repertoire.toml", config)
        .file("../home/.docker/config.json", logins.to_string());
    let mut command = env.command(&["list", "--config", "repertoire.toml", "--connect"]);
    let output = command.env_remove("DOCKER_CONFIG").output();
    let output = output.expect("the binary was built for this test");
    let logins = registry.requests().into_iter().map(|head| {
        let mut lines = head.lines();
        let line = lines.find(|line| line.starts_with("authorization: "));
        line.map(str::to_owned)
    });
    let login = Some(format!("authorization: Basic {LOGIN}"));
    assert_eq!(logins.collect::<Vec<_>>(), [None, login]);
    let message = String::from_utf8_lossy(&output.stderr).replace(&address, "ADDRESS");
    assert_data_eq!(
        message,
        str![[r#"
note: no skills found; run `repertoire roots` to see the folders searched
note: 1 error; run `repertoire check` for details

"#]]
    );
}
