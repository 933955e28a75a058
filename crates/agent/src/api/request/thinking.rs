//! How a model is asked to think: each kind of model in its own way, and nothing that it would refuse.

use super::super::model::ThinkingKind;

/// A budget below this is refused.
const LEAST_BUDGET: u64 = 1024;

/// What the person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// None, where it can be had without.
    Off,
    /// As much as the model sees fit, or this many tokens where it must be told.
    On {
        /// The budget for models that need one.
        budget: u64,
        /// What is sent of it.
        display: Display,
    },
    /// This many tokens; as the model sees fit where it takes no budget.
    Budget(u64),
}

/// What a response shows of thinking, where one can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// What the model's default is.
    Usual,
    /// A summary.
    Summarized,
    /// Signatures without text.
    Omitted,
}

/// How hard a model tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As little as will do.
    Low,
    /// Between.
    Medium,
    /// Much.
    High,
    /// More.
    ExtraHigh,
    /// All it can.
    Max,
}

impl Effort {
    /// Its name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::ExtraHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl Thinking {
    /// The field `thinking`, where there must be one.
    pub(super) fn to_json(self, kind: ThinkingKind, max_tokens: u64) -> Option<String> {
        let adaptive = |display: Display| {
            let display = match display {
                Display::Usual => "",
                Display::Summarized => r#","display":"summarized""#,
                Display::Omitted => r#","display":"omitted""#,
            };
            Some(format!(r#"{{"type":"adaptive"{display}}}"#))
        };
        match (self, kind) {
            (_, ThinkingKind::None) | (Self::Off, ThinkingKind::Budget | ThinkingKind::Always) => None,
            // Some of these think unless they are told not to.
            (Self::Off, ThinkingKind::Either | ThinkingKind::Adaptive) => {
                Some(r#"{"type":"disabled"}"#.to_owned())
            }
            (Self::On { budget, .. }, ThinkingKind::Budget)
            | (Self::Budget(budget), ThinkingKind::Budget | ThinkingKind::Either) => {
                with_budget(budget, max_tokens)
            }
            (Self::On { display, .. }, _) => adaptive(display),
            (Self::Budget(_), _) => adaptive(Display::Usual),
        }
    }
}

/// A budget must leave room for an answer.
fn with_budget(budget: u64, max_tokens: u64) -> Option<String> {
    let most = max_tokens.checked_sub(1).filter(|most| *most >= LEAST_BUDGET)?;
    let budget = budget.clamp(LEAST_BUDGET, most);
    Some(format!(r#"{{"type":"enabled","budget_tokens":{budget}}}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_in_its_own_way() {
        let on = Thinking::On { budget: 10_000, display: Display::Usual };
        let say = |thinking: Thinking, kind, max| thinking.to_json(kind, max).unwrap_or_default();
        let table = [
            (ThinkingKind::None, "", "", ""),
            (
                ThinkingKind::Budget,
                "",
                r#"{"type":"enabled","budget_tokens":10000}"#,
                r#"{"type":"enabled","budget_tokens":2000}"#,
            ),
            (
                ThinkingKind::Either,
                r#"{"type":"disabled"}"#,
                r#"{"type":"adaptive"}"#,
                r#"{"type":"enabled","budget_tokens":2000}"#,
            ),
            (
                ThinkingKind::Adaptive,
                r#"{"type":"disabled"}"#,
                r#"{"type":"adaptive"}"#,
                r#"{"type":"adaptive"}"#,
            ),
            (ThinkingKind::Always, "", r#"{"type":"adaptive"}"#, r#"{"type":"adaptive"}"#),
        ];
        for (kind, off, usual, told) in table {
            let said =
                [Thinking::Off, on, Thinking::Budget(2000)].map(|thinking| say(thinking, kind, 32_000));
            assert_eq!(said, [off, usual, told], "{kind:?}");
        }
        let shown = Thinking::On { budget: 0, display: Display::Summarized };
        assert_eq!(say(shown, ThinkingKind::Always, 9), r#"{"type":"adaptive","display":"summarized"}"#);
    }

    #[test]
    fn a_budget_leaves_room_for_the_answer() {
        let say = |budget, max| Thinking::Budget(budget).to_json(ThinkingKind::Budget, max);
        assert_eq!(say(1, 9000).unwrap(), r#"{"type":"enabled","budget_tokens":1024}"#);
        assert_eq!(say(9000, 9000).unwrap(), r#"{"type":"enabled","budget_tokens":8999}"#);
        assert_eq!(say(9000, 1025).unwrap(), r#"{"type":"enabled","budget_tokens":1024}"#);
        assert_eq!(say(9000, 1024), None);
    }
}
