//! What was recorded, in memory: records, exchanges, connections.
