//! Values and rows of a database.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::audit::{AuditEntry, AuditHead};
use crate::{AgentRecord, Checkpoint, StoreError};

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SqlValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for SqlValue {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Databases have no unsigned numbers.
impl From<u64> for SqlValue {
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<u32> for SqlValue {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<bool> for SqlValue {
    fn from(flag: bool) -> Self {
        Self::Integer(flag.into())
    }
}

impl<T: Into<SqlValue>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The columns of a row that were not read yet.
#[derive(Debug)]
pub(crate) struct SqlRow(std::vec::IntoIter<SqlValue>);

impl From<Vec<SqlValue>> for SqlRow {
    fn from(columns: Vec<SqlValue>) -> Self {
        Self(columns.into_iter())
    }
}

impl SqlRow {
    pub(super) fn optional_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.0.next() {
            Some(SqlValue::Text(text)) => Ok(Some(text)),
            Some(SqlValue::Null) => Ok(None),
            column => Err(unexpected("text", column)),
        }
    }

    pub(super) fn text(&mut self) -> Result<String, StoreError> {
        let text = self.optional_text()?;
        text.ok_or_else(|| unexpected("text", Some(SqlValue::Null)))
    }

    pub(super) fn optional_number(&mut self) -> Result<Option<u64>, StoreError> {
        match self.0.next() {
            Some(SqlValue::Integer(number)) => Ok(Some(u64::try_from(number).unwrap_or_default())),
            Some(SqlValue::Real(number)) => Ok(Some(number as u64)),
            Some(SqlValue::Null) => Ok(None),
            column => Err(unexpected("a number", column)),
        }
    }

    pub(super) fn number(&mut self) -> Result<u64, StoreError> {
        Ok(self.optional_number()?.unwrap_or_default())
    }

    pub(super) fn count(&mut self) -> Result<u32, StoreError> {
        Ok(u32::try_from(self.number()?).unwrap_or(u32::MAX))
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        Ok(serde_json::from_str(&self.text()?)?)
    }

    /// Reads an enum by the name that serde gives it.
    pub(super) fn optional_name<T: DeserializeOwned>(&mut self) -> Result<Option<T>, StoreError> {
        let name = self.optional_text()?.map(Value::String);
        Ok(name.map(serde_json::from_value).transpose()?)
    }

    pub(super) fn name<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        Ok(serde_json::from_value(Value::String(self.text()?))?)
    }

    pub(super) fn agent(mut self) -> Result<AgentRecord, StoreError> {
        Ok(AgentRecord {
            id: self.text()?,
            profile: self.text()?,
            pool: self.name()?,
            state: self.name()?,
            task_id: self.text()?,
            parent: self.optional_text()?,
            epoch: self.number()?,
            branch: self.text()?,
            permissions: self.json()?,
            est_tokens: self.number()?,
            lease_expires_at: self.optional_number()?,
            started_at: self.optional_number()?,
            fail_reason: self.optional_name()?,
            retry_of: self.optional_text()?,
            orphaned: self.number()? != 0,
            alerted_at: self.optional_number()?,
            idempotency_key: self.text()?,
            created_at: self.number()?,
            updated_at: self.number()?,
            host: self.optional_text()?,
            worktree: self.optional_text()?,
        })
    }

    pub(super) fn checkpoint(mut self) -> Result<Checkpoint, StoreError> {
        Ok(Checkpoint {
            task_id: self.text()?,
            epoch: self.number()?,
            phase: self.name()?,
            note: self.text()?,
            at: self.number()?,
        })
    }

    pub(super) fn audit_head(&mut self) -> Result<Option<AuditHead>, StoreError> {
        let (seq, hash) = (self.optional_number()?, self.optional_text()?);
        Ok(seq.zip(hash).map(|(seq, hash)| AuditHead { seq, hash }))
    }

    pub(super) fn audit_entry(mut self) -> Result<AuditEntry, StoreError> {
        Ok(AuditEntry {
            seq: self.number()?,
            at: self.number()?,
            agent_id: self.text()?,
            actor: self.text()?,
            event: self.text()?,
            from: self.optional_text()?,
            to: self.optional_text()?,
            detail: self.text()?,
            prev_hash: self.text()?,
            hash: self.text()?,
        })
    }
}

pub(super) fn unexpected(expected: &str, found: Option<SqlValue>) -> StoreError {
    StoreError::Database(format!("expected {expected} in a column, found {found:?}").into())
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Database(error.into())
    }
}
