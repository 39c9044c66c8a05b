//! Comparing two traces, exchange by exchange.
