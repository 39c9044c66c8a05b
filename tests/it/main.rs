//! The one integration test binary; each area is a module.

mod rules;
mod shapes;
