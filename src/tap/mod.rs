//! The wire itself: pumps, recorder, child process, HTTP proxy.
//!
//! A pump reads, appends to the buffer that it shares with the recorder, and writes on at once: it knows nothing of
//! files, lines or JSON. The recorder takes what came at most each 20 ms and appends it to the trace file, which is all
//! that others see: whoever watches a tap follows its file.

pub mod child;
pub mod clock;
pub mod http;
mod lines;
mod memory;
mod output;
mod pump;
pub mod record;
pub mod shared;
mod signals;
pub mod spool;
pub mod stdio;

pub use output::Target;
pub use record::Record;
