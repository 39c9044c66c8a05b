//! The configuration files of MCP hosts, and how the tap is put into them.
