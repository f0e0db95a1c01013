//! What the facade brings, used under its name alone.

mod inventory;
