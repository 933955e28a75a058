//! What commands would print to standard error while the viewer has the terminal: each message is shown once on the viewer's last
//! line, and printed when it has ended.

use std::sync::{Arc, Mutex, PoisonError};

/// How many messages are kept.
const MAX_WARNINGS: usize = 50;

/// Messages of all threads of the viewer.
#[derive(Clone, Debug, Default)]
pub(super) struct ViewerWarnings(Arc<Mutex<WarningLog>>);

#[derive(Debug, Default)]
struct WarningLog {
    /// Each once, in their order.
    messages: Vec<String>,
    /// How many of them the viewer has taken.
    taken: usize,
}

impl ViewerWarnings {
    pub(super) fn add(&self, message: String) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.messages.len() < MAX_WARNINGS && !log.messages.contains(&message) {
            log.messages.push(message);
        }
    }

    /// Takes those that came since the last call, to be shown on one line.
    pub(super) fn take(&self) -> Vec<String> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = log.messages[log.taken..].iter();
        let fresh =
            fresh.map(|message| message.strip_prefix("annals: ").unwrap_or(message).to_owned()).collect();
        log.taken = log.messages.len();
        fresh
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).messages.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_shown_once_and_kept() {
        let warnings = ViewerWarnings::default();
        assert!(warnings.take().is_empty());
        for message in ["annals: one is unreadable", "annals: two", "annals: one is unreadable"] {
            warnings.add(message.to_owned());
        }
        assert_eq!(warnings.take(), ["one is unreadable", "two"]);
        warnings.add("annals: two".to_owned());
        warnings.add("three".to_owned());
        assert_eq!(warnings.take(), ["three"]);
        assert_eq!(warnings.all(), ["annals: one is unreadable", "annals: two", "three"]);
        (0..100).for_each(|number| warnings.add(number.to_string()));
        assert_eq!(warnings.all().len(), MAX_WARNINGS);
    }
}
