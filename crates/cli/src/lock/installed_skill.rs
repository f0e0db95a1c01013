//! The rows of installed skills, in a program with or without the feature `install`.

#[cfg(feature = "install")]
pub(super) use repertoire_install::InstalledSkill;

#[cfg(not(feature = "install"))]
pub(super) use without_installer::InstalledSkill;

#[cfg(not(feature = "install"))]
mod without_installer {
    use repertoire::Id;
    use repertoire::skill::{Digest, Manifest, Resource, ResourcePath};
    use serde::{Deserialize, Serialize};
    use serde_json::{Map, Value};

    /// A row that is compared with its folder and written again unchanged.
    #[derive(Debug, Clone, Serialize, Deserialize)]
    #[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
    pub(crate) struct InstalledSkill {
        pub(crate) id: Id,
        pub(crate) path: ResourcePath,
        pub(crate) manifest: Digest,
        files: Vec<Resource>,
        row: Map<String, Value>,
    }

    #[derive(Deserialize)]
    struct ReadFields {
        id: Id,
        path: ResourcePath,
        manifest: Digest,
        files: Vec<Resource>,
    }

    impl InstalledSkill {
        /// Returns the installed files, if they have the stated digest.
        pub(crate) fn checked_manifest(&self) -> Result<Manifest, String> {
            let manifest = Manifest::new(self.files.iter().cloned());
            let manifest = manifest.map_err(|error| format!("`{}`: {error}", self.path))?;
            match manifest.digest() == self.manifest {
                true => Ok(manifest),
                false => Err(format!(
                    "`{}`: `manifest` is not the digest of its files",
                    self.path
                )),
            }
        }
    }

    impl TryFrom<Map<String, Value>> for InstalledSkill {
        type Error = serde_json::Error;

        fn try_from(row: Map<String, Value>) -> Result<InstalledSkill, serde_json::Error> {
            let ReadFields {
                id,
                path,
                manifest,
                files,
            } = serde_json::from_value(Value::Object(row.clone()))?;
            Ok(InstalledSkill {
                id,
                path,
                manifest,
                files,
                row,
            })
        }
    }

    impl From<InstalledSkill> for Map<String, Value> {
        fn from(skill: InstalledSkill) -> Map<String, Value> {
            skill.row
        }
    }
}
