//! Decisions, each with its reason.

use std::fmt;
use std::path::PathBuf;

use super::mode::Mode;
use super::paths::PathError;
use super::rules::{Rule, RuleList, SettingsSource};
use super::shell::{Hazard, ShellSyntaxError};

/// The reason of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A rule matches.
    Rule {
        /// The rule as written.
        rule: String,
        list: RuleList,
        /// Where it comes from.
        source: SettingsSource,
        /// The part of the call that it matches.
        about: String,
    },
    /// A rule may match: parts of the command are not known before it runs.
    MayMatch {
        /// The rule as written.
        rule: String,
        list: RuleList,
        /// Where it comes from.
        source: SettingsSource,
        /// The part of the call.
        about: String,
    },
    /// The mode decides.
    Mode(Mode),
    /// It only reads, and only in the workspace.
    ReadsOnly,
    /// It affects only the session.
    Inward,
    /// The user must approve a plan.
    Plan,
    /// The mode is not plan mode.
    NoPlan,
    /// No rule and no mode allows it.
    NotCovered(String),
    /// The path is outside the workspace.
    Outside(PathBuf),
    /// The path is protected: no rule allows changes.
    Protected(PathBuf),
    /// It would destroy too much.
    Critical(String),
    /// The path is not a regular file.
    Refused(PathBuf),
    /// The path cannot be resolved.
    Path(PathError),
    /// The command cannot be parsed.
    ShellSyntaxError(ShellSyntaxError),
    /// It runs something that the text does not show.
    Hidden(String),
    /// It was parsed, and does not show its effect.
    Hazard(Hazard),
    /// A path is not known before the command runs.
    UnknownPath(String),
    /// It shows a variable of the environment, which may be a secret.
    Environment(String),
    /// Git runs programs that its repository names, and the repository is not trusted.
    Repository(String),
    /// It runs in a sandbox, whatever it does.
    Sandbox,
    /// It would run outside the sandbox.
    NoSandbox,
    /// The sandbox cannot keep commands from this path, which a rule is about.
    NotConfined(PathBuf),
    /// A hook decides, for this reason.
    Hook(String),
    /// Permission is needed, and there is no user to ask.
    NobodyToAsk(Box<Reason>),
}

impl Reason {
    /// A rule that matches this part.
    pub(crate) fn rule(rule: &Rule, about: &str) -> Self {
        Self::Rule { rule: rule.text.clone(), list: rule.list, source: rule.source, about: about.to_owned() }
    }

    /// A rule that may match this part.
    pub(crate) fn may_match(rule: &Rule, about: &str) -> Self {
        Self::MayMatch {
            rule: rule.text.clone(),
            list: rule.list,
            source: rule.source,
            about: about.to_owned(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { rule, list, source, about } => {
                write!(to, "the {} rule `{rule}` of {source} matches `{about}`", list.name())
            }
            Self::MayMatch { rule, list, source, about } => {
                write!(
                    to,
                    "the {} rule `{rule}` of {source} may match `{about}`, part of which is not known before it runs",
                    list.name()
                )
            }
            Self::Mode(mode) => write!(to, "the mode is {mode}"),
            Self::ReadsOnly => to.write_str("it only reads, and only in the workspace"),
            Self::Inward => to.write_str("it affects only the session"),
            Self::Hook(why) if why.is_empty() => to.write_str("a hook says so"),
            Self::Hook(why) => to.write_str(why),
            Self::Plan => to.write_str("the user must approve the plan"),
            Self::NoPlan => to.write_str("the mode is not plan"),
            Self::NotCovered(what) => write!(to, "no rule allows `{what}`"),
            Self::Outside(path) => write!(to, "{} is outside the workspace", path.display()),
            Self::Protected(path) => write!(to, "{} is protected", path.display()),
            Self::Critical(what) => write!(to, "`{what}` or everything in it would be deleted"),
            Self::Refused(path) => write!(to, "{} is not a file that a tool may open", path.display()),
            Self::Path(error) => error.fmt(to),
            Self::ShellSyntaxError(why) => write!(to, "the command cannot be parsed: {why}"),
            Self::Hidden(what) => write!(to, "`{what}` runs what the command does not show"),
            Self::Hazard(hazard) => hazard.fmt(to),
            Self::UnknownPath(what) => write!(to, "the target of `{what}` is not known before it runs"),
            Self::Environment(name) => {
                write!(to, "it reads `{name}` from the environment, which can hold secrets")
            }
            Self::Repository(what) => {
                write!(to, "`{what}` may run programs that its untrusted repository configures")
            }
            Self::Sandbox => to.write_str("it runs in a sandbox"),
            Self::NoSandbox => to.write_str("it would run outside the sandbox"),
            Self::NotConfined(path) => {
                write!(
                    to,
                    "a rule covers {}, and the sandbox cannot keep commands away from it",
                    path.display()
                )
            }
            Self::NobodyToAsk(why) => write!(to, "{why}, and no user can be asked"),
        }
    }
}

/// A decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Allow { because: Reason },
    /// The user decides.
    Ask {
        because: Reason,
        /// Rules that would allow it from now on; empty if no rule can.
        suggestions: Vec<String>,
    },
    /// It does not run.
    Deny { because: Reason },
}

impl Decision {
    /// Allows, for this reason.
    pub fn allow(because: Reason) -> Self {
        Self::Allow { because }
    }

    /// Asks, for this reason, without suggestions.
    pub fn ask(because: Reason) -> Self {
        Self::Ask { because, suggestions: Vec::new() }
    }

    /// Denies, for this reason.
    pub fn deny(because: Reason) -> Self {
        Self::Deny { because }
    }

    /// The reason.
    pub fn because(&self) -> &Reason {
        match self {
            Self::Allow { because } | Self::Ask { because, .. } | Self::Deny { because } => because,
        }
    }

    /// The decision without a user to ask: what would be asked is denied.
    pub fn headless(self) -> Self {
        match self {
            Self::Ask { because, .. } => Self::deny(Reason::NobodyToAsk(Box::new(because))),
            decided => decided,
        }
    }

    /// The stricter of two; of equals the first, with the suggestions of both.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (denied @ Self::Deny { .. }, _) | (_, denied @ Self::Deny { .. }) => denied,
            (Self::Ask { because, mut suggestions }, Self::Ask { suggestions: more, .. }) => {
                // If no rule can allow one part, none can allow the whole.
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
