//! The place of the stored agents.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

#[cfg(feature = "postgres")]
use repertoire_agents::PostgresAgentStore;
use repertoire_agents::{AgentStore, SqliteAgentStore};

use crate::Environment;
use crate::failure::Failure;

/// The place of the stored agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) enum StorePlace {
    File(PathBuf),
    #[cfg(feature = "postgres")]
    Postgres(String),
}

/// The variable with the place of the agents. Other users do not see a password in it.
const STORE_VARIABLE: &str = "REPERTOIRE_AGENTS_STORE";

/// The name of the file in a state folder.
pub(in crate::command) const STORE_FILE: &str = "agents.db";

impl StorePlace {
    /// Returns the place that `named` or the variable names, else the file in the state folder of repertoire.
    pub(in crate::command) fn of(
        named: Option<&Path>,
        environment: &Environment<'_>,
    ) -> Result<StorePlace, Failure> {
        match StorePlace::named(named, environment)? {
            Some(place) => Ok(place),
            None => {
                let state = environment.own_state().ok_or_else(|| {
                    let failure = Failure::new("there is no state folder");
                    failure.help("name a file with `--store FILE`")
                })?;
                Ok(StorePlace::File(state.join(STORE_FILE)))
            }
        }
    }

    /// Returns the place that `named` or the variable names. A relative path is below the working folder.
    pub(in crate::command) fn named(
        named: Option<&Path>,
        environment: &Environment<'_>,
    ) -> Result<Option<StorePlace>, Failure> {
        let variable = environment.variable(STORE_VARIABLE).map(PathBuf::from);
        let Some(named) = named.map(Path::to_owned).or(variable) else {
            return Ok(None);
        };
        match named.to_str() {
            Some(address) if is_postgres(address) => StorePlace::postgres(address).map(Some),
            _ => Ok(Some(StorePlace::File(environment.cwd.join(named)))),
        }
    }

    /// Runs `work` with a store that exists.
    pub(in crate::command) fn with_store<T: Send>(
        &self,
        work: impl FnOnce(&dyn AgentStore) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        // A store blocks, which that of Postgres refuses in a thread of a runtime.
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| work(self.open_existing()?.as_ref()));
            ended.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    fn open_existing(&self) -> Result<Box<dyn AgentStore>, Failure> {
        match self {
            StorePlace::File(path) if !path.exists() => {
                let failure = Failure::new(format!("no agents at `{}`", path.display()));
                Err(failure.help("name the file of your host with `--store FILE`"))
            }
            StorePlace::File(path) => Ok(Box::new(SqliteAgentStore::open(path)?)),
            #[cfg(feature = "postgres")]
            StorePlace::Postgres(address) => Ok(Box::new(PostgresAgentStore::connect(address)?)),
        }
    }

    /// Opens the store, and creates it if it does not exist.
    #[cfg(feature = "gateway")]
    pub(in crate::command) fn open(&self) -> Result<std::sync::Arc<dyn AgentStore>, Failure> {
        use std::sync::Arc;

        match self {
            StorePlace::File(path) => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder).map_err(|error| {
                        Failure::io(format!("cannot create `{}`", folder.display()), &error)
                    })?;
                }
                Ok(Arc::new(SqliteAgentStore::open(path)?))
            }
            #[cfg(feature = "postgres")]
            StorePlace::Postgres(address) => Ok(Arc::new(PostgresAgentStore::connect(address)?)),
        }
    }

    #[cfg(feature = "postgres")]
    fn postgres(address: &str) -> Result<StorePlace, Failure> {
        Ok(StorePlace::Postgres(address.to_owned()))
    }

    #[cfg(not(feature = "postgres"))]
    fn postgres(_: &str) -> Result<StorePlace, Failure> {
        let failure = Failure::new("this program was built without Postgres");
        Err(failure.help("build it with `--features postgres`"))
    }
}

fn is_postgres(address: &str) -> bool {
    ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| address.starts_with(scheme))
}
