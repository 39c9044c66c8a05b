//! Arguments of a tool: filled in from its schema, checked against it, made of `KEY=VALUE`.

mod bounds;
mod prefill;
mod typed;
mod validate;

pub use prefill::prefill;
pub use typed::typed;
pub use validate::{Unjudged, Violation, check, validate};
