mod clause;
mod shorten;
