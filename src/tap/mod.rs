//! The wire itself: pumps, recorder, child process, HTTP proxy.
