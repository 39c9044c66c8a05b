//! Findings and exchanges as bytes: text, JSON, SARIF, JUnit, GitHub annotations, Markdown.

pub mod json;
pub mod said;
pub mod show;
pub mod summary;
pub mod table;
pub mod tail;
pub mod text;
pub mod view;

pub use summary::Summary;
pub use view::FindingView;
