//! The procedural macro behind `repertoire_source_static::embed_skills!`, which says what it does and has the example.
//!
//! # For authors of skills
//! Nothing here is for direct use: call `embed_skills!`, which passes the path of its own crate along.
//!
//! # For whoever changes this crate
//! A folder is walked as a folder source walks it, each file is parsed by core's parser, and every fault becomes a compile
//! error with place and fix, `fault.rs`. What is expanded holds `include_bytes!` of each file, so that the compiler watches
//! it; the tests of `repertoire-source-static` compare what is embedded with what a folder source lists.

mod fault;
mod folder;
mod place;
mod skill;

use std::path::Path;

use proc_macro::TokenStream;
use proc_macro2::TokenTree;
use quote::quote;
use syn::LitStr;
use syn::parse::{Parse, ParseStream};

use crate::place::Place;
use crate::skill::Embedded;

/// Expands to a `StaticList` of the skills in a folder. Called by `embed_skills!`, which passes its own `$crate`.
#[doc(hidden)]
#[proc_macro]
pub fn __embed_skills(input: TokenStream) -> TokenStream {
    let Input { krate, folder } = syn::parse_macro_input!(input as Input);
    let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR") else {
        let error = syn::Error::new(folder.span(), "`CARGO_MANIFEST_DIR` is not set: build with cargo");
        return error.into_compile_error().into();
    };
    // The compiler names files from the folder that it works in; so do messages.
    let cwd = std::env::current_dir().unwrap_or_default();
    match skill::embed(&Place::new(Path::new(&package).join(folder.value()), &cwd)) {
        Ok(skills) => {
            let skills = skills.iter().map(|skill| row(&krate, skill));
            quote!(#krate::StaticList::new(&[#(#skills),*])).into()
        }
        Err(faults) => {
            let errors = faults.iter().map(|fault| syn::Error::new(folder.span(), fault).into_compile_error());
            quote!({ #(#errors)* }).into()
        }
    }
}

/// `include_bytes!` makes the compiler watch every file that was there.
fn row(krate: &TokenTree, skill: &Embedded) -> proc_macro2::TokenStream {
    let Embedded { id, description, file, resources } = skill;
    let (paths, files): (Vec<_>, Vec<_>) = resources.iter().cloned().unzip();
    quote! {
        #krate::StaticSkill::__embedded(
            #id,
            #description,
            ::core::include_bytes!(#file),
            &[#((#paths, ::core::include_bytes!(#files))),*],
        )
    }
}

/// `$crate "folder"`.
struct Input {
    krate: TokenTree,
    folder: LitStr,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Input> {
        Ok(Input { krate: input.parse()?, folder: input.parse()? })
    }
}
