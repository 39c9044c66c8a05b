//! Making a trace safe to share.
