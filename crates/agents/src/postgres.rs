//! A store in a Postgres database.

mod address;
mod schema;
mod tls;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;
use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, IsolationLevel, Row, Statement, Transaction};

use self::address::TlsAddress;
use self::tls::VerifyingTls;
use crate::sql::{SqlConnection, SqlRow, SqlTransaction, SqlValue};
use crate::transaction::{AgentTransaction, TransactionKind, TransactionalStorage};
use crate::{AgentStore, StoreError};

/// The time for which a writer waits for the writer of a different host.
const LOCK_TIMEOUT: &str = "10s";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A store in the schema `repertoire_agents` of a Postgres database, which several hosts may share.
///
/// - One writer works at a time over all hosts. The lock of a host that ends or loses its connection is released by the server.
/// - Triggers refuse illegal states and changes of the audit log, also to other programs.
/// - A lost connection fails the call that used it. The next call connects again.
/// - The parameter `sslmode` of the address decides on encryption: `prefer`, the default, encrypts if the server can, `require`
///   always, `disable` never.
/// - An encrypted connection needs a valid certificate. The authorities are those of the system, or those in the file `sslrootcert`.
///
/// # Panics
/// Every call blocks. In an asynchronous context it panics: call it from a blocking thread. The store may be dropped anywhere.
///
/// ```no_run
/// use repertoire_agents::{AgentStore, PostgresAgentStore};
///
/// let store = PostgresAgentStore::connect("host=/run/postgresql user=agents dbname=agents")?;
/// for agent in store.agents()? {
///     println!("{} is {}", agent.id, agent.state);
/// }
/// # Ok::<(), repertoire_agents::StoreError>(())
/// ```
pub struct PostgresAgentStore {
    config: Config,
    tls: VerifyingTls,
    connected: Mutex<Option<Connected>>,
}

struct Connected {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl PostgresAgentStore {
    /// Connects to a database, and creates the schema if it does not exist.
    ///
    /// `address` is a [connection string](https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING) of libpq.
    ///
    /// # Errors
    /// Fails if the schema has a newer version or belongs to a different program, or if the database cannot be reached. Fails
    /// if the certificate of the server is not valid.
    pub fn connect(address: &str) -> Result<Self, StoreError> {
        let TlsAddress { address, roots } = TlsAddress::new(address);
        let tls = VerifyingTls::new(&roots)?;
        let mut config: Config = address.parse()?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        let mut client = open(&config, &tls)?;
        schema::migrate(&mut client)?;
        let connected = Connected::new(client);
        Ok(Self {
            config,
            tls,
            connected: Mutex::new(Some(connected)),
        })
    }
}

fn open(config: &Config, tls: &VerifyingTls) -> Result<Client, StoreError> {
    let mut client = config.connect(tls.clone())?;
    client.batch_execute(&format!(
        "SET search_path TO {}; SET lock_timeout TO '{LOCK_TIMEOUT}'",
        schema::NAME
    ))?;
    Ok(client)
}

impl Connected {
    fn new(client: Client) -> Self {
        Self {
            client,
            statements: HashMap::new(),
        }
    }

    fn begin(&mut self, kind: TransactionKind) -> Result<PostgresTransaction<'_>, StoreError> {
        let builder = self.client.build_transaction();
        let transaction = match kind {
            // All queries of a reader see one state.
            TransactionKind::Read => builder
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
                .start()?,
            TransactionKind::Write => {
                let mut transaction = builder.start()?;
                schema::lock(&mut transaction)?;
                transaction
            }
        };
        Ok(PostgresTransaction {
            transaction,
            statements: &mut self.statements,
        })
    }
}

impl Drop for PostgresAgentStore {
    fn drop(&mut self) {
        if let Some(connected) = self.connected.get_mut().take() {
            // The end of a connection blocks, which a thread of an asynchronous runtime refuses.
            let closing = std::thread::Builder::new().spawn(move || drop(connected));
            let _ = closing.map(std::thread::JoinHandle::join);
        }
    }
}

impl fmt::Debug for PostgresAgentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration redacts the password.
        f.debug_struct("PostgresAgentStore")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl AgentStore for PostgresAgentStore {}

impl TransactionalStorage for PostgresAgentStore {
    fn transact(
        &self,
        kind: TransactionKind,
        body: &mut dyn FnMut(&mut dyn AgentTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut connected = self.connected.lock();
        let mut current = match connected.take() {
            Some(current) if !current.client.is_closed() => current,
            _ => Connected::new(open(&self.config, &self.tls)?),
        };
        let result = run(&mut current, kind, body);
        // A client that lost its connection is not used again.
        if !current.client.is_closed() {
            *connected = Some(current);
        }
        result
    }
}

fn run(
    connected: &mut Connected,
    kind: TransactionKind,
    body: &mut dyn FnMut(&mut dyn AgentTransaction) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut transaction = SqlTransaction(connected.begin(kind)?);
    body(&mut transaction)?;
    Ok(transaction.0.transaction.commit()?)
}

struct PostgresTransaction<'a> {
    transaction: Transaction<'a>,
    statements: &'a mut HashMap<String, Statement>,
}

impl PostgresTransaction<'_> {
    fn prepare(&mut self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.transaction.prepare(&sql.replace('?', "$"))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn parameters(values: &[SqlValue]) -> Vec<&(dyn ToSql + Sync)> {
    let values = values.iter().map(|value| value as &(dyn ToSql + Sync));
    values.collect()
}

impl SqlConnection for PostgresTransaction<'_> {
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError> {
        let statement = self.prepare(sql)?;
        Ok(self.transaction.execute(&statement, &parameters(values))?)
    }

    fn rows(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError> {
        let statement = self.prepare(sql)?;
        let rows = self.transaction.query(&statement, &parameters(values))?;
        rows.iter()
            .map(|row| {
                let columns = (0..row.len()).map(|at| column(row, at));
                Ok(SqlRow::from(columns.collect::<Result<Vec<_>, _>>()?))
            })
            .collect()
    }
}

fn column(row: &Row, at: usize) -> Result<SqlValue, postgres::Error> {
    Ok(match *row.columns()[at].type_() {
        Type::INT8 => row.try_get::<_, Option<i64>>(at)?.map(SqlValue::Integer),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(at)?.map(SqlValue::Real),
        _ => row.try_get::<_, Option<String>>(at)?.map(SqlValue::Text),
    }
    .unwrap_or(SqlValue::Null))
}

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            SqlValue::Null => Ok(IsNull::Yes),
            SqlValue::Integer(number) => number.to_sql(kind, out),
            SqlValue::Real(number) => number.to_sql(kind, out),
            SqlValue::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::FLOAT8 | Type::TEXT)
    }

    to_sql_checked!();
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        Self::Database(error.into())
    }
}
