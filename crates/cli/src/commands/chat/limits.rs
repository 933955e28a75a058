//! Limits that variables set, of the environment or of the settings: tokens of a response, of thinking, times of commands.

use std::time::Duration;

use annals_agent::api::call::RetryOptions;
use annals_agent::api::request::{Effort, PromptCaching, Thinking, ThinkingDisplay};
use annals_agent::api::retry::Backoff;
use annals_agent::tools::bash::ShellSettings;
use clap::ValueEnum as _;

use super::setup::Setup;
use crate::args::{ChatArgs, EffortLevel, SdkArgs, ThinkingMode, ThinkingShown};
use crate::context::Context;

/// Tokens that a response may have.
pub(super) const MAX_TOKENS: u64 = 32_000;
/// Tokens for thinking, for models that need a budget.
const THINKING: u64 = 16_000;
/// How full the context window is, in percent, when the conversation is compacted.
const COMPACT_AT: u8 = 90;
/// The most characters of an output that a variable can ask for.
const MAX_SHOWN: usize = 150_000;
/// How often the model may hand over output that does not fit the schema.
const MAX_OUTPUT_ATTEMPTS: u32 = 5;
const EFFORT_VARIABLE: &str = "CLAUDE_CODE_EFFORT_LEVEL";

/// How long to wait at the end for what runs in the background, unless a variable says otherwise.
const BACKGROUND_WAIT: Duration = Duration::from_secs(600);
const BACKGROUND_WAIT_VARIABLE: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";

/// Returns how long to wait at the end for what runs in the background; `None` for as long as it takes.
pub(super) fn background_wait(setup: &Setup, context: &Context) -> Option<Duration> {
    let Some(value) = setup.variable(context, BACKGROUND_WAIT_VARIABLE) else { return Some(BACKGROUND_WAIT) };
    match value.trim().parse() {
        Ok(0) => None,
        Ok(millis) => Some(Duration::from_millis(millis)),
        Err(_) => {
            context.say(format!("ignoring {BACKGROUND_WAIT_VARIABLE}: {value:?} is not a number"));
            Some(BACKGROUND_WAIT)
        }
    }
}

/// Returns whether a variable switches something on.
pub(super) fn is_on(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}

fn effort_of(level: EffortLevel) -> Effort {
    match level {
        EffortLevel::Low => Effort::Low,
        EffortLevel::Medium => Effort::Medium,
        EffortLevel::High => Effort::High,
        EffortLevel::Xhigh => Effort::ExtraHigh,
        EffortLevel::Max => Effort::Max,
    }
}

/// The limits of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// The tokens of a response.
    pub(super) max_tokens: u64,
    /// Whether and how much the model thinks.
    pub(super) thinking: Thinking,
    /// How hard the model tries.
    pub(super) effort: Option<Effort>,
    /// How long the API caches the beginning of requests.
    pub(super) caching: PromptCaching,
    /// How full the context window is, in percent, when the conversation is compacted; `None` for never.
    pub(super) compact_at: Option<u8>,
    /// How often the model may hand over output that does not fit the schema.
    pub(super) max_output_attempts: u32,
    default_timeout: Option<Duration>,
    max_timeout: Option<Duration>,
    max_shown: Option<usize>,
    idle: Option<Duration>,
    max_retries: Option<u32>,
}

impl Limits {
    /// Reads the limits. Values that are not numbers are reported, and have no effect.
    pub(super) fn new(setup: &Setup, context: &Context) -> Self {
        let number = |name: &str| {
            let value = setup.variable(context, name)?;
            let number = value.trim().parse().ok();
            if number.is_none() {
                context.say(format!("ignoring {name}: {value:?} is not a number"));
            }
            number
        };
        let limits = Self::of(number, |name| setup.variable(context, name).is_some_and(is_on));
        let effort = setup.variable(context, EFFORT_VARIABLE).and_then(|name| {
            let level = EffortLevel::from_str(name.trim(), true).ok();
            if level.is_none() {
                context.say(format!("ignoring {EFFORT_VARIABLE}: {name:?} is not a level"));
            }
            level
        });
        Self { effort: effort.map(effort_of), ..limits }
    }

    fn of(variable: impl Fn(&str) -> Option<u64>, is_set: impl Fn(&str) -> bool) -> Self {
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
            caching: if is_set("DISABLE_PROMPT_CACHING") {
                PromptCaching::Off
            } else {
                PromptCaching::Minutes
            },
            compact_at: match positive("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE") {
                _ if is_set("DISABLE_AUTO_COMPACT") => None,
                // A later moment than ours would be too late.
                Some(percent) => Some(u8::try_from(percent).unwrap_or(COMPACT_AT).min(COMPACT_AT)),
                None => Some(COMPACT_AT),
            },
            max_output_attempts: positive("MAX_STRUCTURED_OUTPUT_RETRIES")
                .map_or(MAX_OUTPUT_ATTEMPTS, |most| u32::try_from(most).unwrap_or(u32::MAX)),
            default_timeout: millis("BASH_DEFAULT_TIMEOUT_MS"),
            max_timeout: millis("BASH_MAX_TIMEOUT_MS"),
            max_shown: positive("BASH_MAX_OUTPUT_LENGTH")
                .map(|most| usize::try_from(most).unwrap_or(MAX_SHOWN).min(MAX_SHOWN)),
            idle: millis("API_TIMEOUT_MS"),
            max_retries: variable("CLAUDE_CODE_MAX_RETRIES")
                .map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
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
        let effort = args.effort.map(effort_of).or(self.effort);
        Self { thinking, effort, ..self }
    }

    /// Applies the times and counts of requests.
    pub(super) fn retry(self, usual: RetryOptions) -> RetryOptions {
        let max_retries = self.max_retries.unwrap_or(usual.backoff.max_retries);
        let backoff = Backoff { max_retries, ..usual.backoff };
        RetryOptions { idle: self.idle.unwrap_or(usual.idle), backoff, ..usual }
    }

    /// Applies the times to commands. A default that is longer than the maximum raises it.
    pub(super) fn apply(self, shells: ShellSettings) -> ShellSettings {
        let max = self.max_timeout.unwrap_or(shells.max_timeout);
        let max_shown = self.max_shown.unwrap_or(shells.max_shown);
        let shells = ShellSettings { max_shown, ..shells };
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

/// Returns the betas of the options and of the environment.
pub(super) fn betas(args: &ChatArgs, setup: &Setup, context: &Context) -> Vec<String> {
    let set = setup.variable(context, "ANTHROPIC_BETAS").unwrap_or_default();
    let set = set.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    args.sdk.betas.iter().cloned().chain(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, u64)]) -> (Limits, [u64; 2]) {
        let value = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let limits = Limits::of(value, |name| value(name) == Some(1));
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

    #[test]
    fn variables_set_how_requests_are_made() {
        let usual = of(&[]).0;
        assert_eq!((usual.caching, usual.compact_at), (PromptCaching::Minutes, Some(COMPACT_AT)));
        assert_eq!(of(&[("DISABLE_PROMPT_CACHING", 1)]).0.caching, PromptCaching::Off);
        assert_eq!(of(&[("DISABLE_AUTO_COMPACT", 1)]).0.compact_at, None);
        assert_eq!(of(&[("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", 50)]).0.compact_at, Some(50));
        assert_eq!(of(&[("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", 99)]).0.compact_at, Some(COMPACT_AT));
        let set = of(&[("API_TIMEOUT_MS", 2000), ("CLAUDE_CODE_MAX_RETRIES", 0)]).0;
        let retry = set.retry(RetryOptions::default());
        assert_eq!((retry.idle, retry.backoff.max_retries), (Duration::from_secs(2), 0));
        let shells = || ShellSettings::usual("/s".into(), None, Vec::new(), String::new());
        let shown = |most| of(&[("BASH_MAX_OUTPUT_LENGTH", most)]).0.apply(shells()).max_shown;
        assert_eq!([shown(0), shown(500), shown(9_000_000)], [30_000, 500, MAX_SHOWN]);
        assert!(is_on("1") && is_on(" True") && !is_on("0") && !is_on(""));
    }
}
