//! `cargo xtask demo`: the main job from start to finish.
