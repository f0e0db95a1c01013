//! Libraries to load: those that cargo built beside the tests, and small ones in C.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use repertoire_core::{Digest, SourceError};
use repertoire_source_plugin::{PluginOptions, PluginSource, ProcessOptions};
use serde_json::{Map, Value};
use tempfile::TempDir;

/// The process of a plugin: that of the tests, or its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    Here,
    There,
}

/// The library of a plugin of this workspace, which cargo built for the tests: it is a dependency of theirs.
pub(crate) fn built(name: &str) -> PathBuf {
    let file = format!(
        "{}{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let path = std::env::current_exe().unwrap().with_file_name(file);
    assert!(path.is_file(), "`{}` is not built", path.display());
    path
}

/// The program that runs plugins alone.
pub(crate) fn runner() -> PathBuf {
    env!("CARGO_BIN_EXE_repertoire-plugin-host").into()
}

/// A file of this crate or of one beside it.
pub(crate) fn source_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A compiled library, gone with this value.
pub(crate) struct Compiled {
    folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Compiled {
    /// Compiles C. The header of the boundary is where `#include` finds it.
    pub(crate) fn new(text: &str) -> Compiled {
        Compiled::with_header(text, &source_file("../plugin-sdk/include"))
    }

    pub(crate) fn with_header(text: &str, include: &Path) -> Compiled {
        Compiled::build(text, include, &[])
    }

    /// Compiles C with further arguments for the compiler.
    pub(crate) fn linked(text: &str, arguments: &[&str]) -> Compiled {
        Compiled::build(text, &source_file("../plugin-sdk/include"), arguments)
    }

    fn build(text: &str, include: &Path, arguments: &[&str]) -> Compiled {
        let folder = tempfile::tempdir().unwrap();
        let path = folder
            .path()
            .join(format!("plugin{}", std::env::consts::DLL_SUFFIX));
        fs::write(folder.path().join("plugin.c"), text).unwrap();
        compile(&folder.path().join("plugin.c"), include, &path, arguments);
        Compiled { folder, path }
    }

    /// `plugins/hello-c`.
    pub(crate) fn hello() -> Compiled {
        Compiled::new(&fs::read_to_string(source_file("../../plugins/hello-c/hello.c")).unwrap())
    }

    /// Puts another library in the place of this one, as an installer does.
    pub(crate) fn replace(&self, other: &Path) {
        let fresh = self.folder.path().join("fresh");
        fs::copy(other, &fresh).unwrap();
        fs::rename(fresh, &self.path).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

fn compile(file: &Path, include: &Path, to: &Path, arguments: &[&str]) {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&compiler);
    command
        .args([
            "-std=gnu11",
            "-Wall",
            "-Werror",
            "-shared",
            "-fPIC",
            "-pthread",
            "-I",
        ])
        .arg(include);
    let output = command.arg("-o").arg(to).arg(file).args(arguments).output();
    let output = output
        .unwrap_or_else(|error| panic!("these tests need a C compiler: {compiler:?}: {error}"));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The plugin at `path`, pinned to what it is now.
pub(crate) fn pinned(path: &Path) -> PluginOptions {
    PluginOptions::new(path).pinned(Digest::of(&fs::read(path).unwrap()))
}

pub(crate) fn source(at: Where, options: PluginOptions) -> PluginSource {
    match at {
        Where::Here => PluginSource::new("plugin", options),
        Where::There => PluginSource::spawn("plugin", ProcessOptions::new(options, runner())),
    }
}

pub(crate) fn options(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// When something that should come did not. A guard, not a measure.
pub(crate) const HUNG: Duration = Duration::from_secs(30);

/// Awaits `future` under a timeout.
pub(crate) async fn soon<O>(future: impl Future<Output = O>) -> O {
    tokio::time::timeout(HUNG, future)
        .await
        .expect("an answer should come")
}

/// A source whose library is loaded.
pub(crate) async fn loaded(options: PluginOptions) -> Result<PluginSource, SourceError> {
    let source = PluginSource::new("plugin", options);
    source.start().await?;
    Ok(source)
}
