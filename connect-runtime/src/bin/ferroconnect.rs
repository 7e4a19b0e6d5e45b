//! The `ferroconnect` program.
fn main() {}
