//! The rule catalogue: one file a rule.

pub mod catalogue;
pub mod examples;
