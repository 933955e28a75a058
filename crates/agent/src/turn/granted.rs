//! Rules that a person grants while a conversation goes on. Its sub-agents share them: what was granted once is not asked for
//! by the next of them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::policy::rules::{List, Rule, Rules, Source};

/// What was granted so far.
#[derive(Clone, Debug, Default)]
pub struct Granted(Arc<Mutex<Vec<Rule>>>);

impl Granted {
    /// From now on these are allowed.
    pub(crate) fn add(&self, rules: &[String]) {
        let mut granted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        granted.extend(rules.iter().map(|rule| Rule::new(rule, List::Allow, Source::Session)));
    }

    /// Rules, with what was granted.
    pub(crate) fn with(&self, rules: &Rules) -> Rules {
        let mut rules = rules.clone();
        let granted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        granted.iter().for_each(|rule| rules.add(rule.clone()));
        rules
    }
}
