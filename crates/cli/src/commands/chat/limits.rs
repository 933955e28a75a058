//! Limits that variables set, of the environment or of the settings: tokens of a response, of thinking, times of commands.

use std::time::Duration;

use annals_agent::api::request::{Effort, Thinking, ThinkingDisplay};
use annals_agent::tools::bash::ShellSettings;

use super::setup::Setup;
use crate::args::{EffortLevel, SdkArgs, ThinkingMode, ThinkingShown};
use crate::context::Context;

/// Tokens that a response may have.
pub(super) const MAX_TOKENS: u64 = 32_000;
/// Tokens for thinking, for models that need a budget.
const THINKING: u64 = 16_000;

/// The limits of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// The tokens of a response.
    pub(super) max_tokens: u64,
    /// Whether and how much the model thinks.
    pub(super) thinking: Thinking,
    /// How hard the model tries.
    pub(super) effort: Option<Effort>,
    default_timeout: Option<Duration>,
    max_timeout: Option<Duration>,
}

impl Limits {
    /// Reads the limits. Values that are not numbers are reported, and have no effect.
    pub(super) fn new(setup: &Setup, context: &Context) -> Self {
        Self::of(|name| {
            let value = setup.variable(context, name)?;
            let number = value.trim().parse().ok();
            if number.is_none() {
                context.say(format!("ignoring {name}: {value:?} is not a number"));
            }
            number
        })
    }

    fn of(variable: impl Fn(&str) -> Option<u64>) -> Self {
        let positive = |name: &str| variable(name).filter(|number| *number > 0);
        let millis = |name: &str| positive(name).map(Duration::from_millis);
        Self {
            max_tokens: positive("CLAUDE_CODE_MAX_OUTPUT_TOKENS").unwrap_or(MAX_TOKENS),
            thinking: match variable("MAX_THINKING_TOKENS") {
                None => Thinking::On { budget: THINKING, display: ThinkingDisplay::Default },
                Some(0) => Thinking::Off,
                Some(budget) => Thinking::Budget(budget),
            },
            effort: None,
            default_timeout: millis("BASH_DEFAULT_TIMEOUT_MS"),
            max_timeout: millis("BASH_MAX_TIMEOUT_MS"),
        }
    }

    /// Adds what options say about effort and thinking.
    pub(super) fn with(self, args: &SdkArgs) -> Self {
        let display = match args.thinking_display {
            Some(ThinkingShown::Summarized) => ThinkingDisplay::Summarized,
            Some(ThinkingShown::Omitted) => ThinkingDisplay::Omitted,
            None => ThinkingDisplay::Default,
        };
        let thinking = match (args.thinking, args.max_thinking_tokens) {
            (Some(ThinkingMode::Disabled), _) | (_, Some(0)) => Thinking::Off,
            (_, Some(budget)) => Thinking::Budget(budget),
            (Some(ThinkingMode::Adaptive | ThinkingMode::Enabled), None) => {
                Thinking::On { budget: THINKING, display }
            }
            (None, None) => match self.thinking {
                Thinking::On { budget, .. } => Thinking::On { budget, display },
                other => other,
            },
        };
        let effort = args.effort.map(|level| match level {
            EffortLevel::Low => Effort::Low,
            EffortLevel::Medium => Effort::Medium,
            EffortLevel::High => Effort::High,
            EffortLevel::Xhigh => Effort::ExtraHigh,
            EffortLevel::Max => Effort::Max,
        });
        Self { thinking, effort, ..self }
    }

    /// Applies the times to commands. A default that is longer than the maximum raises it.
    pub(super) fn apply(self, shells: ShellSettings) -> ShellSettings {
        let max = self.max_timeout.unwrap_or(shells.max_timeout);
        match self.default_timeout {
            Some(default) => {
                ShellSettings { default_timeout: default, max_timeout: max.max(default), ..shells }
            }
            None => {
                ShellSettings { default_timeout: shells.default_timeout.min(max), max_timeout: max, ..shells }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, u64)]) -> (Limits, [u64; 2]) {
        let limits = Limits::of(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| *value));
        let shells = ShellSettings::usual("/s".into(), None, Vec::new(), String::new());
        let shells = limits.apply(shells);
        let seconds = [shells.default_timeout, shells.max_timeout].map(|time| time.as_secs());
        (limits, seconds)
    }

    #[test]
    fn variables_set_limits() {
        let (usual, times) = of(&[]);
        assert_eq!((usual.max_tokens, times), (MAX_TOKENS, [120, 600]));
        assert!(matches!(usual.thinking, Thinking::On { .. }));
        let (limits, _) = of(&[("CLAUDE_CODE_MAX_OUTPUT_TOKENS", 100), ("MAX_THINKING_TOKENS", 2000)]);
        assert_eq!((limits.max_tokens, limits.thinking), (100, Thinking::Budget(2000)));
        assert_eq!(of(&[("MAX_THINKING_TOKENS", 0)]).0.thinking, Thinking::Off);
        assert_eq!(of(&[("BASH_DEFAULT_TIMEOUT_MS", 3000)]).1, [3, 600]);
        assert_eq!(of(&[("BASH_DEFAULT_TIMEOUT_MS", 900_000)]).1, [900, 900]);
        assert_eq!(of(&[("BASH_MAX_TIMEOUT_MS", 60_000)]).1, [60, 60]);
        assert_eq!(of(&[("BASH_MAX_TIMEOUT_MS", 0)]).1, [120, 600]);
    }
}
