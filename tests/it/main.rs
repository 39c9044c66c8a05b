//! The one integration test binary; each area is a module.

#![allow(clippy::unwrap_used)]

mod architecture;
mod call;
mod cases;
mod check;
mod demo;
mod diff;
mod formats;
mod fuzz;
mod hostile;
mod http;
mod mcp_rules;
mod peer;
mod peers;
mod readme;
mod rules;
mod rules_cli;
mod samples;
mod sanitize;
mod screen;
mod shapes;
mod tap;
mod tap_http;
mod wire;
