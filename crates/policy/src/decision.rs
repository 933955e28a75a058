//! What was decided, and why: every decision can be explained.

use std::fmt;
use std::path::PathBuf;

use super::mode::Mode;
use super::paths::PathError;
use super::rules::{List, Rule, Source};
use super::shell::{Hazard, Unparsable};

/// Why a decision is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// A rule says so.
    Rule {
        /// The rule as written.
        rule: String,
        /// Its list.
        list: List,
        /// Where it comes from.
        source: Source,
        /// The part of the call that it speaks of.
        about: String,
    },
    /// A rule may speak of it: parts of the command are not known yet.
    MayMatch {
        /// The rule as written.
        rule: String,
        /// Its list.
        list: List,
        /// Where it comes from.
        source: Source,
        /// The part of the call.
        about: String,
    },
    /// The mode says so.
    Mode(Mode),
    /// It only reads, and only in the workspace.
    ReadsOnly,
    /// It touches nothing but the session.
    Inward,
    /// A plan is a person's to approve.
    Plan,
    /// Nothing is planned.
    NoPlan,
    /// No rule and no mode allows it.
    NotCovered(String),
    /// It leads out of the workspace.
    Outside(PathBuf),
    /// No rule opens this path.
    Protected(PathBuf),
    /// It would destroy too much.
    Critical(String),
    /// It is no file.
    Refused(PathBuf),
    /// It cannot be followed.
    Path(PathError),
    /// The command was not understood.
    Unparsable(Unparsable),
    /// It runs something that the text does not show.
    Hidden(String),
    /// It was parsed, and does not show its effect.
    Hazard(Hazard),
    /// A path is not known before the command runs.
    UnknownPath(String),
    /// It shows a variable of the environment, which may be a secret.
    Environment(String),
    /// Git runs what its repository names, and nobody trusts that repository.
    Repository(String),
    /// There was nobody to ask.
    NobodyToAsk(Box<Because>),
}

impl Because {
    /// This rule, about this part.
    pub(crate) fn rule(rule: &Rule, about: &str) -> Self {
        Self::Rule { rule: rule.text.clone(), list: rule.list, source: rule.source, about: about.to_owned() }
    }

    /// This rule, perhaps.
    pub(crate) fn may_match(rule: &Rule, about: &str) -> Self {
        Self::MayMatch {
            rule: rule.text.clone(),
            list: rule.list,
            source: rule.source,
            about: about.to_owned(),
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { rule, list, source, about } => {
                write!(to, "the {} rule `{rule}` of {source} speaks of `{about}`", list.name())
            }
            Self::MayMatch { rule, list, source, about } => {
                write!(
                    to,
                    "the {} rule `{rule}` of {source} may speak of `{about}`, of which a part is not known",
                    list.name()
                )
            }
            Self::Mode(mode) => write!(to, "the mode is {mode}"),
            Self::ReadsOnly => to.write_str("it only reads, and only in the workspace"),
            Self::Inward => to.write_str("it touches nothing but the session"),
            Self::Plan => to.write_str("a plan is approved by a person"),
            Self::NoPlan => to.write_str("the mode is not plan"),
            Self::NotCovered(what) => write!(to, "no rule allows `{what}`"),
            Self::Outside(path) => write!(to, "{} is outside of the workspace", path.display()),
            Self::Protected(path) => write!(to, "{} is protected", path.display()),
            Self::Critical(what) => write!(to, "`{what}` would be destroyed, or everything in it"),
            Self::Refused(path) => write!(to, "{} is no file that a tool may open", path.display()),
            Self::Path(error) => error.fmt(to),
            Self::Unparsable(why) => write!(to, "the command is not understood: {why}"),
            Self::Hidden(what) => write!(to, "`{what}` runs what the command does not show"),
            Self::Hazard(hazard) => hazard.fmt(to),
            Self::UnknownPath(what) => write!(to, "where `{what}` leads is not known before it runs"),
            Self::Environment(name) => {
                write!(to, "it takes `{name}` from the environment, where secrets are kept")
            }
            Self::Repository(what) => {
                write!(to, "`{what}` may run programs that its repository names, and that one is not trusted")
            }
            Self::NobodyToAsk(why) => write!(to, "{why}, and nobody is asked"),
        }
    }
}

/// What happens with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Allow {
        /// Why.
        because: Because,
    },
    /// A person decides.
    Ask {
        /// Why.
        because: Because,
        /// Rules that would allow it from now on; none where no rule may.
        suggestions: Vec<String>,
    },
    /// It does not run.
    Deny {
        /// Why.
        because: Because,
    },
}

impl Decision {
    /// Allowed, for this reason.
    pub fn allow(because: Because) -> Self {
        Self::Allow { because }
    }

    /// Asked for, for this reason, with nothing to suggest.
    pub fn ask(because: Because) -> Self {
        Self::Ask { because, suggestions: Vec::new() }
    }

    /// Denied, for this reason.
    pub fn deny(because: Because) -> Self {
        Self::Deny { because }
    }

    /// Why it was decided so.
    pub fn because(&self) -> &Because {
        match self {
            Self::Allow { because } | Self::Ask { because, .. } | Self::Deny { because } => because,
        }
    }

    /// The decision where there is nobody to ask.
    pub fn headless(self) -> Self {
        match self {
            Self::Ask { because, .. } => Self::deny(Because::NobodyToAsk(Box::new(because))),
            decided => decided,
        }
    }

    /// The stricter of two; of equals the first, with the suggestions of both.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (denied @ Self::Deny { .. }, _) | (_, denied @ Self::Deny { .. }) => denied,
            (Self::Ask { because, mut suggestions }, Self::Ask { suggestions: more, .. }) => {
                // Where one part cannot be allowed by a rule, no rule helps the whole.
                let none = suggestions.is_empty() || more.is_empty();
                suggestions.extend(more);
                suggestions.dedup();
                Self::Ask { because, suggestions: if none { Vec::new() } else { suggestions } }
            }
            (asked @ Self::Ask { .. }, _) | (_, asked @ Self::Ask { .. }) => asked,
            (allowed, _) => allowed,
        }
    }
}
