//! Model names: aliases, full names and context suffixes.

use super::setup::Setup;
use crate::args::ChatArgs;
use crate::context::Context;

/// The model if nothing else is configured.
const DEFAULT: &str = "sonnet";
/// The model for small tasks, such as titles.
pub(super) const SMALL: &str = "haiku";
/// Short names and the models they mean.
const NAMES: [(&str, &str); 3] =
    [("opus", "claude-opus-5-5"), ("sonnet", "claude-sonnet-5-5"), ("haiku", "claude-haiku-5-5")];

/// Returns the model: from the argument, the environment, the settings, or as before in the session.
pub(super) fn choose(args: &ChatArgs, setup: &Setup, context: &Context, before: Option<&str>) -> String {
    let wanted = args.model.as_deref();
    let wanted = wanted.or_else(|| setup.variable(context, "ANTHROPIC_MODEL"));
    let wanted = wanted.or(setup.effective.model.as_deref());
    named(wanted.or(before).unwrap_or(DEFAULT))
}

/// Returns the full name of a model.
pub(super) fn named(name: &str) -> String {
    let (short, suffix) = name.split_once('[').unwrap_or((name, ""));
    let known = NAMES.iter().find(|(known, _)| *known == short);
    match known {
        Some((_, full)) if suffix.is_empty() => (*full).to_owned(),
        Some((_, full)) => format!("{full}[{suffix}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_stand_for_long_ones() {
        assert_eq!(named("opus"), "claude-opus-5-5");
        assert_eq!(named("sonnet[1m]"), "claude-sonnet-5-5[1m]");
        assert_eq!(named("claude-opus-4-8"), "claude-opus-4-8");
    }
}
