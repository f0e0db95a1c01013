mod clause;
mod word;
