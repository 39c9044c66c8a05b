//! The screen. Key → keymap (data) → [`action::Action`] → [`update::update`] → effects; [`view::view`] draws the model
//! and changes nothing. `update` does no IO, reads no clock and draws nothing: see `ARCHITECTURE.md`.

pub mod action;
pub mod app;
pub mod client;
pub mod data;
pub mod detail;
pub mod filter;
pub mod harness;
pub mod highlight;
pub mod home;
pub mod input;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod list;
pub mod model;
pub mod page;
pub mod pages;
pub mod run;
pub mod svg;
pub mod terminal;
pub mod theme;
pub mod update;
pub mod view;

#[cfg(test)]
mod tests;

pub use data::{Data, Facts, Feed, Still};
pub use run::{End, Options, Screen, Waker};
