//! A test once more, in a process with another environment.

use std::ffi::OsStr;
use std::process::Command;

/// The variable with the address that such a process lists the skills of.
const URL: &str = "REPERTOIRE_TEST_URL";

/// The address, if this is such a process.
pub(crate) fn url() -> Option<String> {
    std::env::var(URL).ok()
}

/// Returns the output of `test` for the skills at `url` in a process with these variables. Blocks.
pub(crate) fn rerun(test: &str, url: &str, variables: &[(&str, &OsStr)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture"])
        .env_remove("SSL_CERT_FILE")
        .env_remove("SSL_CERT_DIR");
    let output = command
        .envs(variables.iter().copied())
        .env(URL, url)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
