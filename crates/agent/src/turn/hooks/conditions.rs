//! Conditions of hooks: whether a permission rule speaks about a call.

use annals_policy::rules::{Matcher, Rule, Rules};
use annals_policy::{Decision, Mode, Policy, Reason};

use crate::tools::ToolRequest;

/// Returns whether a rule speaks about a call. A command whose effect is not known may be any command.
pub(super) fn is_covered(rule: &Rule, wanted: &ToolRequest, policy: &Policy<'_>) -> bool {
    let mut rules = Rules::default();
    rules.add(rule.clone());
    let decision = wanted.decide(&Policy { rules: &rules, mode: Mode::Bypass, ..*policy });
    let (Decision::Deny { because } | Decision::Ask { because, .. }) = decision else { return false };
    match because {
        Reason::Rule { .. } | Reason::MayMatch { .. } => true,
        Reason::Hidden(_) | Reason::Hazard(_) | Reason::ShellSyntaxError(_) | Reason::UnknownPath(_) => {
            matches!((&rule.matcher, wanted), (Matcher::Command(_), ToolRequest::Bash(..)))
        }
        _ => false,
    }
}
