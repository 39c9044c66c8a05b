//! Threads around the core: loading, following, filtering in the background.

pub mod load;

pub use load::{Loaded, load};
