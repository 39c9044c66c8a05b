//! The rule catalogue: one file a rule.
