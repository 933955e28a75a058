//! Model names: aliases, full names and context suffixes.

use annals_policy::settings::EffectiveSettings;

use super::access;
use super::setup::Setup;
use crate::args::ChatArgs;
use crate::context::Context;

/// The model if nothing else is configured.
const DEFAULT: &str = "sonnet";
/// The model for small tasks, such as titles.
const SMALL: &str = "haiku";
/// The variable that names the model for small tasks.
const SMALL_VARIABLE: &str = "ANTHROPIC_SMALL_FAST_MODEL";
/// Short names, the models they mean, and the variables that say otherwise: behind a gateway models have other names.
const NAMES: [(&str, &str, &str); 3] = [
    ("opus", "claude-opus-5-5", "ANTHROPIC_DEFAULT_OPUS_MODEL"),
    ("sonnet", "claude-sonnet-5-5", "ANTHROPIC_DEFAULT_SONNET_MODEL"),
    ("haiku", "claude-haiku-5-5", "ANTHROPIC_DEFAULT_HAIKU_MODEL"),
];

/// Translates short names into full ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelNames {
    /// Short names and the models they mean.
    known: Vec<(&'static str, String)>,
    small: Option<String>,
}

impl Default for ModelNames {
    fn default() -> Self {
        Self::of(|_| None)
    }
}

impl ModelNames {
    /// Reads the names from the environment and the settings.
    pub(super) fn new(settings: &EffectiveSettings, context: &Context) -> Self {
        Self::of(|name| access::variable(settings, context, name).map(str::to_owned))
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let full = |(short, full, name): (&'static str, &str, &str)| {
            (short, variable(name).unwrap_or_else(|| full.to_owned()))
        };
        Self { known: NAMES.into_iter().map(full).collect(), small: variable(SMALL_VARIABLE) }
    }

    /// Returns the full name of a model.
    pub(super) fn named(&self, name: &str) -> String {
        let (short, suffix) = name.split_once('[').unwrap_or((name, ""));
        let known = self.known.iter().find(|(known, _)| *known == short);
        match known {
            Some((_, full)) if suffix.is_empty() => full.clone(),
            Some((_, full)) => format!("{full}[{suffix}"),
            None => name.to_owned(),
        }
    }

    /// Returns the short names, each with the model that it means.
    pub(super) fn list(&self) -> Vec<(String, String)> {
        self.known.iter().map(|(short, full)| ((*short).to_owned(), full.clone())).collect()
    }

    /// Returns the model for small tasks, such as titles and web pages.
    pub(super) fn small(&self) -> String {
        self.small.clone().unwrap_or_else(|| self.named(SMALL))
    }
}

/// Returns the model if no argument names one.
pub(super) fn default(setup: &Setup, context: &Context) -> String {
    let wanted = setup.variable(context, "ANTHROPIC_MODEL").or(setup.effective.model.as_deref());
    setup.models.named(wanted.unwrap_or(DEFAULT))
}

/// Returns the model: from the argument, the environment, the settings, or as before in the session.
pub(super) fn choose(args: &ChatArgs, setup: &Setup, context: &Context, before: Option<&str>) -> String {
    let wanted = args.model.as_deref();
    let wanted = wanted.or_else(|| setup.variable(context, "ANTHROPIC_MODEL"));
    let wanted = wanted.or(setup.effective.model.as_deref());
    setup.models.named(wanted.or(before).unwrap_or(DEFAULT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_stand_for_long_ones() {
        let names = ModelNames::default();
        assert_eq!(names.named("opus"), "claude-opus-5-5");
        assert_eq!(names.named("sonnet[1m]"), "claude-sonnet-5-5[1m]");
        assert_eq!(names.named("claude-opus-4-8"), "claude-opus-4-8");
        assert_eq!(names.small(), "claude-haiku-5-5");
    }

    #[test]
    fn a_gateway_has_names_of_its_own() {
        let names = ModelNames::of(|name| name.strip_prefix("ANTHROPIC_DEFAULT_").map(str::to_lowercase));
        assert_eq!((names.named("opus[1m]"), names.small()), ("opus_model[1m]".into(), "haiku_model".into()));
        let names = ModelNames::of(|name| (name == SMALL_VARIABLE).then(|| "tiny".to_owned()));
        assert_eq!((names.small(), names.named("haiku")), ("tiny".into(), "claude-haiku-5-5".into()));
    }
}
