//! Threads around the core: loading, following, filtering in the background.

pub mod follow;
pub mod load;

pub use follow::{Feed, Progress};
pub use load::{Loaded, load, load_as, read_all};
