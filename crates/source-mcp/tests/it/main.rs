//! The crate at its public door, against servers that behave and servers that do not.

mod conformance;
mod fallbacks;
mod hostile;
mod http;
mod programs;
mod reading;
mod scripted;
mod served;
