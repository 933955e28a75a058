//! Removes secrets before anything is shown to others, by the rules of `annals redact`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use annals_surgery::redact::Redactor;
use annals_transcript::redact::SecretRules;

/// One redactor for all pages: a secret that was found once is replaced everywhere.
#[derive(Debug)]
pub(crate) struct Redaction(Mutex<Redactor>);

impl Redaction {
    pub(super) fn new(rules: SecretRules) -> Self {
        Self(Mutex::new(Redactor::new(rules)))
    }

    /// A record without secrets.
    pub(crate) fn record(&self, record: Vec<u8>) -> Vec<u8> {
        self.redactor().record(record)
    }

    /// A text without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        self.redactor().text(text)
    }

    fn redactor(&self) -> MutexGuard<'_, Redactor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
