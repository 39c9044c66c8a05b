//! User configuration (`config.toml`) and project configuration (`mcpscope.toml`).
