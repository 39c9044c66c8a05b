//! The filter language of `list`, `check --where` and the TUI.
