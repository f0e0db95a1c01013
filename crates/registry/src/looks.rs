//! Names that look like other names.

use std::collections::BTreeMap;

use repertoire_core::text::{has_lookalikes, look};
use repertoire_core::{Code, Diagnostic, Item};

use crate::findings::found;
use crate::{Entry, Snapshot, SourceDiagnostic};

/// Returns a diagnostic for each name with letters of another script that looks like the name of another entry.
///
/// Costs nothing where no name has such letters. Only a name that looks like ASCII is compared with all others.
pub(crate) fn of_names<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    if !snapshot.has_lookalikes() {
        return Vec::new();
    }
    let mut names: BTreeMap<String, Vec<&Entry<T>>> = BTreeMap::new();
    for entry in snapshot.unsorted().filter(|entry| has_lookalikes(entry.id.as_str())) {
        names.entry(look(entry.id.as_str())).or_default().push(entry);
    }
    if names.keys().any(|look| look.is_ascii()) {
        for entry in snapshot.unsorted().filter(|entry| entry.id.as_str().is_ascii()) {
            if let Some(alike) = names.get_mut(&look(entry.id.as_str())) {
                alike.push(entry);
            }
        }
    }
    let mut all = Vec::new();
    for mut alike in names.into_values() {
        // The plainest name is the one that the others look like.
        alike.sort_by_key(|entry| (!entry.id.as_str().is_ascii(), &entry.id));
        if let Some((plain, others)) = alike.split_first() {
            let others = others.iter().filter(|entry| has_lookalikes(entry.id.as_str()));
            all.extend(others.map(|entry| found(&entry.origin().source, of_name(entry, plain))));
        }
    }
    all
}

fn of_name<T: Item>(entry: &Entry<T>, plain: &Entry<T>) -> Diagnostic {
    let letters = entry.id.as_str().chars().filter(|c| has_lookalikes(c.encode_utf8(&mut [0; 4])));
    let mut points: Vec<_> = letters.map(|c| format!("U+{:04X}", u32::from(c))).collect();
    points.dedup();
    points.truncate(4);
    let message = format!(
        "{} `{}` looks like `{}`, and is a different one: it has {}",
        T::KIND,
        entry.id,
        plain.id,
        points.join(", ")
    );
    let mut diagnostic = Diagnostic::new(Code::LOOKS_ALIKE, message)
        .help("rename it; if you did not write it, look at it before you use it");
    diagnostic.path = entry.item().location().map(Into::into);
    diagnostic.other = plain.item().location().map(Into::into);
    diagnostic
}
