//! Rules that a person grants during a conversation, and rules that a custom command brings for its turn. Sub-agents share
//! them, so that a grant is requested once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};

/// The rules granted so far.
#[derive(Clone, Debug, Default)]
pub struct Grants(Arc<Mutex<RuleLists>>);

#[derive(Debug, Default)]
struct RuleLists {
    /// Granted until the conversation ends.
    granted: Vec<Rule>,
    /// Granted for the current turn.
    of_turn: Vec<Rule>,
}

impl Grants {
    fn lists(&self) -> MutexGuard<'_, RuleLists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allows what these rules name.
    pub(crate) fn add(&self, rules: &[String]) {
        let rules = rules.iter().map(|rule| Rule::new(rule, RuleList::Allow, SettingsSource::Session));
        self.lists().granted.extend(rules);
    }

    /// Adds rules of any list.
    pub(crate) fn add_all(&self, rules: &[(RuleList, String)]) {
        let rules = rules.iter().map(|(list, rule)| Rule::new(rule, *list, SettingsSource::Session));
        self.lists().granted.extend(rules);
    }

    /// Allows what these rules name until [`Self::end_turn`].
    pub(crate) fn allow_for_turn(&self, rules: &[String], source: SettingsSource) {
        let rules = rules.iter().map(|rule| Rule::new(rule, RuleList::Allow, source));
        self.lists().of_turn.extend(rules);
    }

    /// Returns rules of their own: those that hold now, and these. What is granted later is not shared.
    pub(crate) fn with_rules(&self, rules: &[(String, SettingsSource)]) -> Self {
        let lists = self.lists();
        let own = rules.iter().map(|(rule, source)| Rule::new(rule, RuleList::Allow, *source));
        let granted = lists.granted.iter().chain(&lists.of_turn).cloned().chain(own).collect();
        Self(Arc::new(Mutex::new(RuleLists { granted, of_turn: Vec::new() })))
    }

    /// Takes over what was granted in another conversation.
    pub fn take_over(&self, other: &Self) {
        let granted = other.lists().granted.clone();
        self.lists().granted.extend(granted);
    }

    /// Drops the rules of the turn.
    pub(crate) fn end_turn(&self) {
        self.lists().of_turn.clear();
    }

    /// Returns the rules together with the granted ones.
    pub(crate) fn merged(&self, rules: &Rules) -> Rules {
        let mut rules = rules.clone();
        let lists = self.lists();
        rules.extend(lists.granted.iter().chain(&lists.of_turn).cloned());
        rules
    }
}
