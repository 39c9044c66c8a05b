//! Threads around the core: loading, following, filtering in the background.
