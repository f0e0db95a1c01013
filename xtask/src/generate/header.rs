//! The C header of plugins, from the Rust types of the boundary.

use std::fmt::Write;
use std::fs;

use syn::{Expr, Fields, GenericArgument, Item, Lit, PathArguments, ReturnType, Type, Visibility};

use crate::{Failure, workspace};

const FROM: &str = "crates/plugin-sdk/src/abi.rs";

/// The path of the header.
pub(super) const PAGE: &str = "crates/plugin-sdk/include/repertoire_plugin.h";

const HEAD: &str = "\
/* The boundary between hosts of skills and plugins that bring them.
 *
 * Written from `plugin-sdk/src/abi.rs` by `cargo xtask gen`. The messages are described in `plugin-sdk/src/message.rs`
 * and in `docs/writing-a-plugin.md`.
 */
#ifndef REPERTOIRE_PLUGIN_H
#define REPERTOIRE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

#if defined(_WIN32)
#define REPERTOIRE_EXPORT __declspec(dllexport)
#else
#define REPERTOIRE_EXPORT __attribute__((visibility(\"default\")))
#endif
";

const TAIL: &str = "
/* What a plugin exports: this function, which is asked once, and bytes that are read from the file without running it, as in
 *
 *   REPERTOIRE_EXPORT const char repertoire_plugin_note[] =
 *       \"{\\\"schema\\\":1,\\\"name\\\":\\\"acme\\\",\\\"version\\\":\\\"1.0.0\\\",\\\"abi\\\":\\\"1.0\\\"}\";
 */
REPERTOIRE_EXPORT const RepertoireTable *repertoire_plugin(void);
REPERTOIRE_EXPORT extern const char repertoire_plugin_note[];

#ifdef __cplusplus
}
#endif

#endif /* REPERTOIRE_PLUGIN_H */
";

/// The header as it should be.
pub(super) fn text() -> Result<String, Failure> {
    let source = fs::read_to_string(workspace::root().join(FROM))?;
    let mut header = String::from(HEAD);
    for item in syn::parse_file(&source)?.items {
        match item {
            Item::Const(item) if is_public(&item.vis) => {
                // Names are for Rust; C spells them where it uses them.
                let Expr::Lit(value) = *item.expr else {
                    continue;
                };
                let Lit::Int(number) = value.lit else {
                    continue;
                };
                comment(&mut header, &item.attrs, "")?;
                let digits = number.base10_digits();
                let digits: u64 = digits.parse()?;
                let shown = if digits > 0xffff {
                    format!("UINT64_C({digits:#x})")
                } else {
                    digits.to_string()
                };
                writeln!(header, "#define {} {shown}", item.ident)?;
            }
            Item::Struct(item) if is_public(&item.vis) => {
                comment(&mut header, &item.attrs, "")?;
                writeln!(header, "typedef struct {} {{", item.ident)?;
                let Fields::Named(fields) = item.fields else {
                    return Err(unknown(&item.ident.to_string()));
                };
                for field in fields.named {
                    comment(&mut header, &field.attrs, "    ")?;
                    let name = field.ident.expect("a named field").to_string();
                    writeln!(header, "    {};", declared(&field.ty, &name)?)?;
                }
                writeln!(header, "}} {};", item.ident)?;
            }
            Item::Type(item) if is_public(&item.vis) => {
                // The type of the one function that is declared at the end.
                let Type::FnPtr(function) = *item.ty else {
                    return Err(unknown(&item.ident.to_string()));
                };
                if function.inputs.is_empty() {
                    continue;
                }
                comment(&mut header, &item.attrs, "")?;
                let mut parameters = Vec::new();
                for parameter in &function.inputs {
                    let name = parameter
                        .name
                        .as_ref()
                        .map(|(name, _)| name.to_string())
                        .unwrap_or_default();
                    parameters.push(declared(&parameter.ty, &name)?);
                }
                let returned = match &function.output {
                    ReturnType::Default => "void".to_owned(),
                    ReturnType::Type(_, returned) => declared(returned, "")?.trim_end().to_owned(),
                };
                writeln!(
                    header,
                    "typedef {returned} (*{})({});",
                    item.ident,
                    parameters.join(", ")
                )?;
            }
            _ => {}
        }
    }
    header.push_str(TAIL);
    Ok(header)
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn unknown(what: &str) -> Failure {
    format!("`{FROM}` has `{what}`, which the header cannot say").into()
}

/// A declaration of `name`, as C has them: the star belongs to the name.
fn declared(of: &Type, name: &str) -> Result<String, Failure> {
    match of {
        Type::Ptr(pointer) => {
            let inner = declared(&pointer.elem, &format!("*{name}"))?;
            Ok(
                if matches!(pointer.mutability, syn::PointerMutability::Mut(_)) {
                    inner
                } else {
                    format!("const {inner}")
                },
            )
        }
        Type::Path(path) => {
            let last = path.path.segments.last().ok_or_else(|| unknown(name))?;
            let word = match last.ident.to_string().as_str() {
                // A pointer to a function may be null in C anyway.
                "Option" => {
                    let PathArguments::AngleBracketed(inner) = &last.arguments else {
                        return Err(unknown(name));
                    };
                    let Some(GenericArgument::Type(inner)) = inner.args.first() else {
                        return Err(unknown(name));
                    };
                    return declared(inner, name);
                }
                "u64" => "uint64_t".to_owned(),
                "u32" => "uint32_t".to_owned(),
                "u16" => "uint16_t".to_owned(),
                "u8" => "uint8_t".to_owned(),
                "i32" => "int32_t".to_owned(),
                "usize" => "size_t".to_owned(),
                "c_void" => "void".to_owned(),
                own if own.starts_with("Repertoire") => own.to_owned(),
                other => return Err(unknown(other)),
            };
            Ok(format!("{word} {name}"))
        }
        _ => Err(unknown(name)),
    }
}

/// The documentation of an item as a comment.
fn comment(
    header: &mut String,
    attributes: &[syn::Attribute],
    indent: &str,
) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
    {
        let syn::Meta::NameValue(pair) = &attribute.meta else {
            continue;
        };
        let Expr::Lit(text) = &pair.value else {
            continue;
        };
        let Lit::Str(text) = &text.lit else { continue };
        lines.push(text.value().trim().to_owned());
    }
    if indent.is_empty() {
        header.push('\n');
    }
    match lines.as_slice() {
        [] => {}
        [line] => writeln!(header, "{indent}/* {line} */")?,
        lines => {
            for (at, line) in lines.iter().enumerate() {
                let open = if at == 0 { "/*" } else { " *" };
                writeln!(header, "{}", format!("{indent}{open} {line}").trim_end())?;
            }
            writeln!(header, "{indent} */")?;
        }
    }
    Ok(())
}
