//! The facts of the five protocol revisions, as tables. No IO and no findings.

pub mod capabilities;
pub mod errors;
pub mod headers;
pub mod levels;
pub mod meta;
pub mod methods;
pub mod param_headers;
pub mod revision;
pub mod shape;
pub mod subschemas;

pub use methods::Method;
pub use revision::{Era, Revision, Revisions};
