//! The macros that export a plugin.

use crate::abi::{REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR, REPERTOIRE_SCHEMA};

// A text cannot be put together from numbers at compile time, so the note below has them written out.
const _: () =
    assert!(REPERTOIRE_ABI_MAJOR == 1 && REPERTOIRE_ABI_MINOR == 0 && REPERTOIRE_SCHEMA == 1);

/// Exports a [`Source<Skill>`](crate::Source) that implements [`Open`](crate::Open) as a plugin.
///
/// The source runs on a small tokio runtime of its own, with a clock and the network. Call it once, in a crate of the type `cdylib`
/// that unwinds when it panics.
///
/// ```
/// use repertoire_plugin_sdk::{
///     Body, PluginConfig, Digest, Id, ListingEntry, Listing, Open, Revision, Skill, Source, SourceError, Stamp, async_trait,
///     export_source,
/// };
///
/// #[derive(Debug)]
/// struct Greeting(String);
///
/// impl Open for Greeting {
///     fn open(config: &PluginConfig) -> Result<Greeting, SourceError> {
///         Ok(Greeting(config.source().to_owned()))
///     }
/// }
///
/// #[async_trait]
/// impl Source<Skill> for Greeting {
///     fn name(&self) -> &str {
///         &self.0
///     }
///
///     async fn list(&self) -> Result<Listing<Skill>, SourceError> {
///         let id = "greet".parse().map_err(|error| SourceError::invalid("no id").caused_by(error))?;
///         let row = ListingEntry::new(Skill::new(id, "Greets people."), Stamp::of("1"));
///         Ok(Listing::new(Revision(0), [row], []))
///     }
/// }
///
/// export_source!(Greeting);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_source {
    ($source:ty) => {
        $crate::export_documents!($crate::Asynchronous<$source>);
    };
}

/// Exports a type that implements [`Documents`](crate::Documents) as a plugin without a runtime.
///
/// The requirements are those of [`export_source!`](crate::export_source).
#[macro_export]
macro_rules! export_documents {
    ($documents:ty) => {
        #[cfg(panic = "abort")]
        ::core::compile_error!(
            "a plugin needs `panic = \"unwind\"`: a panic is then an error, and does not end the host"
        );

        #[allow(unsafe_code)]
        const _: () = {
            // SAFETY: the name belongs to the boundary, and a library has one plugin.
            #[unsafe(no_mangle)]
            pub extern "C" fn repertoire_plugin() -> *const $crate::abi::RepertoireTable {
                static TABLE: $crate::abi::RepertoireTable = $crate::abi::RepertoireTable::new::<$documents>();
                &TABLE
            }

            const NOTE: &str = ::core::concat!(
                "{\"schema\":1,\"name\":\"",
                ::core::env!("CARGO_PKG_NAME"),
                "\",\"version\":\"",
                ::core::env!("CARGO_PKG_VERSION"),
                "\",\"abi\":\"1.0\"}\0"
            );

            // SAFETY: as above; the bytes are read from the file, and never by running it.
            #[unsafe(export_name = "repertoire_plugin_note")]
            pub static BYTES: [u8; NOTE.len()] = *NOTE.as_bytes().first_chunk().expect("the note is as long as itself");
        };
    };
}
