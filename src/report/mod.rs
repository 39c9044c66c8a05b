//! Findings and exchanges as bytes: text, JSON, SARIF, JUnit, GitHub annotations, Markdown.
