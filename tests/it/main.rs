//! The one integration test binary; each area is a module.

mod peer;
mod rules;
mod shapes;
