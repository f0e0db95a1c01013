//! What skills are called that go by one name.

use std::collections::HashMap;

use repertoire_core::{Digest, Id};

use repertoire_core::skill_uri::ServerUri;

/// The ids of skills whose names are `named`: a name is a label, and the address is what tells skills apart.
///
/// A name that only one skill has is its id. Those that share a name are told apart by the folders above them, each one of
/// them: none takes the name from the others, and nothing depends on the order of the list.
pub(crate) fn distinct(named: &[(Id, ServerUri)]) -> Vec<Id> {
    let mut count: HashMap<&Id, usize> = HashMap::new();
    for (name, _) in named {
        *count.entry(name).or_default() += 1;
    }
    let qualified = |name: &Id, uri: &ServerUri| match uri.prefix() {
        [] => name.clone(),
        prefix => format!("{}.{name}", prefix.join(".")).parse().unwrap_or_else(|_| name.clone()),
    };
    let first: Vec<Id> =
        named.iter().map(|(name, uri)| if count[name] == 1 { name.clone() } else { qualified(name, uri) }).collect();
    let mut again: HashMap<Id, usize> = HashMap::new();
    for id in &first {
        *again.entry(id.clone()).or_default() += 1;
    }
    let by_address = |id: &Id, uri: &ServerUri| {
        let digest = Digest::of(uri.as_str().as_bytes()).to_string();
        format!("{id}~{}", &digest["sha256:".len()..][..8]).parse().unwrap_or_else(|_| id.clone())
    };
    let pairs = first.iter().zip(named);
    pairs.map(|(id, (_, uri))| if again[id] == 1 { id.clone() } else { by_address(id, uri) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(skills: &[(&str, &str)]) -> Vec<String> {
        let named: Vec<_> =
            skills.iter().map(|(name, uri)| (name.parse().unwrap(), ServerUri::parse(uri).unwrap())).collect();
        distinct(&named).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn skills_of_one_name_are_told_apart_by_their_folders() {
        let all = [
            ("tidy", "skill://a/tidy/SKILL.md"),
            ("sort", "skill://a/sort/SKILL.md"),
            ("tidy", "skill://b/c/tidy/SKILL.md"),
        ];
        assert_eq!(ids(&all), ["a.tidy", "sort", "b.c.tidy"]);
    }

    #[test]
    fn what_folders_do_not_tell_apart_the_address_does() {
        let all =
            [("tidy", "skill://tidy/SKILL.md"), ("tidy", "other://tidy/SKILL.md"), ("a.tidy", "skill://x/SKILL.md")];
        let ids = ids(&all);
        assert_eq!(ids[2], "a.tidy");
        assert!(ids[0].starts_with("tidy~") && ids[1].starts_with("tidy~") && ids[0] != ids[1], "{ids:?}");
    }
}
