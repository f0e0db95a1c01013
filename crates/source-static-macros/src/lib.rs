//! The procedural macros behind `embed_skills!` and `embed_skill!` of `repertoire-source-static`. Not for direct use.
//!
//! # Contributing
//! A folder is walked as by a folder source, and each file is parsed by core. Every error becomes a compile error with place and fix.
//! The expansion has `include_bytes!` of each file, so that the compiler watches it. The tests of `repertoire-source-static` compare
//! the embedded skills with those of a folder source.

mod folder;
mod skill;
mod source_path;

use std::path::Path;

use proc_macro::TokenStream;
use proc_macro2::TokenTree;
use quote::quote;
use syn::LitStr;
use syn::parse::{Parse, ParseStream};

use crate::skill::EmbeddedSkill;
use crate::source_path::{EmbedError, SourcePath};

/// Expands to a `StaticList` of the skills in a folder. Called by `embed_skills!`, which passes its own `$crate`.
#[doc(hidden)]
#[proc_macro]
pub fn __embed_skills(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as MacroInput);
    let krate = &input.krate;
    input.expand(skill::embed, |skills| {
        let skills = skills.iter().map(|skill| row(krate, skill));
        quote!(#krate::StaticList::new(&[#(#skills),*]))
    })
}

/// Expands to a `StaticSkill` of one file. Called by `embed_skill!`, which passes its own `$crate`.
#[doc(hidden)]
#[proc_macro]
pub fn __embed_skill(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as MacroInput);
    input.expand(skill::embed_file, |skill| row(&input.krate, skill))
}

/// `include_bytes!` makes the compiler watch every file that was there.
fn row(krate: &TokenTree, skill: &EmbeddedSkill) -> proc_macro2::TokenStream {
    let EmbeddedSkill {
        id,
        description,
        file,
        resources,
    } = skill;
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

/// The input `$crate "path"`.
struct MacroInput {
    krate: TokenTree,
    path: LitStr,
}

impl MacroInput {
    fn expand<T>(
        &self,
        embed: fn(&SourcePath) -> Result<T, Vec<EmbedError>>,
        expansion: impl Fn(&T) -> proc_macro2::TokenStream,
    ) -> TokenStream {
        let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR") else {
            let error = syn::Error::new(
                self.path.span(),
                "`CARGO_MANIFEST_DIR` is not set: build with cargo",
            );
            return error.into_compile_error().into();
        };
        // The compiler names files from the folder that it works in; so do messages.
        let cwd = std::env::current_dir().unwrap_or_default();
        match embed(&SourcePath::new(
            Path::new(&package).join(self.path.value()),
            &cwd,
        )) {
            Ok(embedded) => expansion(&embedded).into(),
            Err(errors) => {
                let errors = errors
                    .iter()
                    .map(|error| syn::Error::new(self.path.span(), error).into_compile_error());
                quote!({ #(#errors)* }).into()
            }
        }
    }
}

impl Parse for MacroInput {
    fn parse(input: ParseStream<'_>) -> syn::Result<MacroInput> {
        Ok(MacroInput {
            krate: input.parse()?,
            path: input.parse()?,
        })
    }
}
