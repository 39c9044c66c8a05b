//! `_meta` that was judged before. A client sends the same bytes with nearly every request, and a dozen rules look at
//! nothing else: what none of them had a word about once, none will have a word about again.

use crate::mcp::Revision;
use crate::trace::message::Message;
use crate::wire::envelope::MessageKind;

use super::way;

/// The newest `_meta` of each kind of message on which no rule had anything to say.
#[derive(Clone, Debug, Default)]
pub struct CalmMeta {
    slots: [Option<(Revision, Vec<u8>)>; 6],
}

/// Longer ones are not kept: comparing them would cost more than it saves.
const MAX: usize = 4096;

fn slot(message: &Message<'_>) -> usize {
    let kind = match message.kind {
        MessageKind::Request => 0,
        MessageKind::Notification => 1,
        _ => 2,
    };
    way(message.dir) * 3 + kind
}

impl CalmMeta {
    /// Whether these are the bytes that are known.
    pub fn is(&self, message: &Message<'_>, meta: &[u8]) -> bool {
        matches!(&self.slots[slot(message)], Some((revision, known)) if *revision == message.revision() && known == meta)
    }

    /// No rule had anything to say about the message that carried these bytes.
    pub fn note(&mut self, message: &Message<'_>, meta: &[u8]) {
        if meta.len() > MAX {
            return;
        }
        let (revision, known) = self.slots[slot(message)].get_or_insert_with(|| (message.revision(), Vec::new()));
        *revision = message.revision();
        known.clear();
        known.extend_from_slice(meta);
    }
}
