//! The cheapest Rust program there is: what any hook pays for its start.

fn main() {}
