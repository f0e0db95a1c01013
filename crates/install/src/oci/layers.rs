//! The files in the layers of an artifact.

use std::collections::BTreeMap;

use bytes::Bytes;
use repertoire_core::text::terminal_line;

use super::manifest::Descriptor;
use crate::archive::{is_tar, unpack_all};
use crate::file_tree::{FileTree, TreeBuilder};
use crate::install_error::InstallError;

/// The content of an artifact without files.
const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// A mark of container images: the file of this name is removed from the layers below.
const WHITEOUT: &str = ".wh.";

/// Returns whether a layer has content.
pub(super) fn has_content(layer: &Descriptor) -> bool {
    layer.media_type != EMPTY
}

/// Returns the files of layers; a later layer replaces files of an earlier one.
///
/// A layer is an archive if its type and its first bytes state so. Otherwise it is the file that its title names.
pub(super) fn merge(layers: Vec<(&Descriptor, Bytes)>) -> Result<FileTree, InstallError> {
    let mut files: BTreeMap<String, Bytes> = BTreeMap::new();
    for (layer, bytes) in layers {
        match (is_archive(layer, &bytes), layer.title()) {
            (true, _) => {
                let tree = unpack_all(&bytes)?;
                for (path, bytes) in tree.files() {
                    check_name(path.as_str())?;
                    files.insert(path.to_string(), bytes.clone());
                }
            }
            (false, Some(title)) => {
                files.insert(title.to_owned(), bytes);
            }
            (false, None) => {
                return Err(InstallError::refused(format!(
                    "a layer of the type `{}` is not read",
                    terminal_line(&layer.media_type)
                ))
                .help("expected a layer with a `tar+gzip` archive, or layers with titles"));
            }
        }
    }
    let mut tree = TreeBuilder::default();
    for (path, bytes) in files {
        tree.add(&path, bytes)?;
    }
    Ok(tree.finish())
}

fn is_archive(layer: &Descriptor, bytes: &[u8]) -> bool {
    let kind = layer.media_type.as_str();
    let (is_gzip, is_zip) = (bytes.starts_with(&[0x1f, 0x8b]), bytes.starts_with(b"PK"));
    // The tool `oras` gives the type of a tar archive to every file.
    kind.contains("tar") && (is_tar(bytes) || is_gzip && kind.contains("gzip"))
        || kind.contains("zip") && is_zip
}

fn check_name(path: &str) -> Result<(), InstallError> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.starts_with(WHITEOUT) {
        false => Ok(()),
        true => Err(InstallError::refused(format!(
            "`{}` removes a file of an earlier layer",
            terminal_line(path)
        ))
        .help("build the image from one layer")),
    }
}
