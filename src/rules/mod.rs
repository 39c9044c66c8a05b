//! The rule catalogue: one file a rule, under its layer. [`all`] lists each once; the texts for people (title,
//! explanation, examples) are in `assets/rules.toml`; `tests/it/rules.rs` runs every example.

pub mod access;
pub mod catalogue;
pub mod cx;
pub mod examples;
pub mod json;
pub mod jsonrpc;
pub mod known;
pub mod mcp;
pub mod needs;
pub mod options;
pub mod out;
pub mod page;
pub mod precedence;
pub mod rule;
pub mod same;
pub mod schema;
pub mod show;
pub mod tool;
pub mod transport;

pub use cx::{Cx, Text, TextClass};
pub use known::KnownTools;
pub use options::Options;
pub use out::{Draft, Out};
pub use rule::{On, Owner, Report, Rule, Wire};
pub use schema::Schemas;

/// Every rule, layer by layer.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [json::RULES, jsonrpc::RULES, transport::RULES, mcp::RULES, tool::RULES, access::RULES]
        .into_iter()
        .flatten()
        .copied()
}

/// A rule by its id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|r| r.id == id)
}
