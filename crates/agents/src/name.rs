//! The names that callers choose: those of tasks, keys, profiles, hosts, branches and folders.

use crate::StoreError;

/// The most bytes of a name; an index of Postgres has no longer keys.
const NAME_MAX: usize = 1024;

/// Refuses names that not every database can store and index.
pub(crate) fn check_names<'a>(
    names: impl IntoIterator<Item = (&'static str, &'a str)>,
) -> Result<(), StoreError> {
    for (what, name) in names {
        let is_name = (1..=NAME_MAX).contains(&name.len()) && !name.contains(char::is_control);
        if !is_name {
            return Err(StoreError::Refused(format!(
                "expected {what} of 1 to {NAME_MAX} bytes without control characters"
            )));
        }
    }
    Ok(())
}
