//! Findings and exchanges as bytes: text, JSON, SARIF, JUnit, GitHub annotations, Markdown.

pub mod csv;
pub mod github;
pub mod json;
pub mod junit;
pub mod said;
pub mod sarif;
pub mod show;
pub mod stats;
pub mod summary;
pub mod table;
pub mod tail;
pub mod text;
pub mod view;

pub use summary::Summary;
pub use view::FindingView;
