//! Compiled tool schemas, bounded in size, depth, fan-out and time: what exceeds a bound is not judged.

/// A cache of compiled schemas, by the bytes of the schema.
#[derive(Default)]
pub struct Schemas {}

impl Schemas {
    /// An empty cache.
    pub fn new() -> Schemas {
        Schemas::default()
    }
}
