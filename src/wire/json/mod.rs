//! Lossless JSON: a flat document over the bytes that came, pointers into it, and hostile text made visible.
