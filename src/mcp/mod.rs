//! The facts of the five protocol revisions, as tables. No IO and no findings.
