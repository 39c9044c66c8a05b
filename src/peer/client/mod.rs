//! The built-in client: speaks both eras over any transport that carries messages.

pub mod args;
