//! Frames in, pairing and rules over them, a store out. The same for live taps, `open` and `check`.
