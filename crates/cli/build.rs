//! Builds again when the built-in skills change.
fn main() {
    println!("cargo::rerun-if-changed=skills");
}
