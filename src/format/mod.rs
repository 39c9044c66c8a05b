//! Trace files: the native format and other people's.
