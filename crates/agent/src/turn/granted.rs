//! Rules that a person grants while a conversation goes on, and rules that a command brings for its turn. Sub-agents share them:
//! what was granted once is not asked for by the next of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_policy::rules::{List, Rule, Rules, Source};

/// What was granted so far.
#[derive(Clone, Debug, Default)]
pub struct Granted(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    /// For as long as the conversation is had.
    granted: Vec<Rule>,
    /// For a turn.
    lent: Vec<Rule>,
}

impl Granted {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on these are allowed.
    pub(crate) fn add(&self, rules: &[String]) {
        let rules = rules.iter().map(|rule| Rule::new(rule, List::Allow, Source::Session));
        self.held().granted.extend(rules);
    }

    /// Until [`Self::take_back`] these are allowed as well.
    pub(crate) fn lend(&self, rules: &[String], source: Source) {
        self.held().lent = rules.iter().map(|rule| Rule::new(rule, List::Allow, source)).collect();
    }

    /// What was lent counts no more.
    pub(crate) fn take_back(&self) {
        self.held().lent.clear();
    }

    /// Rules, with what was granted and lent.
    pub(crate) fn with(&self, rules: &Rules) -> Rules {
        let mut rules = rules.clone();
        let held = self.held();
        rules.extend(held.granted.iter().chain(&held.lent).cloned());
        rules
    }
}
