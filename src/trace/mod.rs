//! What was recorded, in memory: small records, exchanges, sessions and findings. The bytes stay in the source.

pub mod exchange;
pub mod finding;
pub mod message;
pub mod missing;
pub mod names;
pub mod record;
pub mod session;
pub mod source;
pub mod store;
pub mod why;
pub mod window;

pub use exchange::{Exchange, Outcome};
pub use finding::{Finding, Layer, Severity};
pub use message::Message;
pub use missing::Missing;
pub use names::{Names, Sym};
pub use record::{IdRef, Judged, NONE, Record, RecordKind};
pub use session::Session;
pub use source::Source;
pub use store::{Row, SessionInfo, Store};
pub use window::Windows;
