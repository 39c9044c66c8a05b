//! Errors for people: what happened, where, and what to do.

use std::fmt;

/// Why a command could not do its work (exit status 2), in one line for stderr.
#[derive(Debug)]
pub struct Failure {
    /// What happened and where (file, line, JSON pointer), without a trailing full stop.
    pub what: String,
    /// What the user can do about it, if there is something.
    pub hint: Option<String>,
}

/// What the functions of the command line return.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A failure without advice.
    pub fn new(what: impl Into<String>) -> Self {
        Failure { what: what.into(), hint: None }
    }

    /// Adds what the user can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
