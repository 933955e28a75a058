//! Thinking: requested in the way that each kind of model accepts.

use super::super::model::ThinkingKind;

/// The smallest budget that the API accepts.
const MIN_BUDGET: u64 = 1024;

/// How a model should think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// No thinking, if the model can do without.
    Off,
    /// As the model decides, or with a budget if it needs one.
    On {
        /// The budget for models that need one.
        budget: u64,
        /// What the response shows of it.
        display: ThinkingDisplay,
    },
    /// With this budget; as the model decides if it accepts none.
    Budget(u64),
}

/// What a response shows of thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingDisplay {
    /// The default of the model.
    Default,
    /// A summary.
    Summarized,
    /// Signatures without text.
    Omitted,
}

/// How hard a model tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The least effort.
    Low,
    Medium,
    High,
    /// More than high.
    ExtraHigh,
    /// The most effort.
    Max,
}

impl Effort {
    /// Returns the name in the API.
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
    /// Returns the field `thinking`, if the request needs one.
    pub(super) fn to_json(self, kind: ThinkingKind, max_tokens: u64) -> Option<String> {
        let adaptive = |display: ThinkingDisplay| {
            let display = match display {
                ThinkingDisplay::Default => "",
                ThinkingDisplay::Summarized => r#","display":"summarized""#,
                ThinkingDisplay::Omitted => r#","display":"omitted""#,
            };
            Some(format!(r#"{{"type":"adaptive"{display}}}"#))
        };
        match (self, kind) {
            (_, ThinkingKind::None) | (Self::Off, ThinkingKind::Budget | ThinkingKind::Always) => None,
            // Some of these think unless it is disabled.
            (Self::Off, ThinkingKind::Either | ThinkingKind::Adaptive) => {
                Some(r#"{"type":"disabled"}"#.to_owned())
            }
            (Self::On { budget, .. }, ThinkingKind::Budget)
            | (Self::Budget(budget), ThinkingKind::Budget | ThinkingKind::Either) => {
                with_budget(budget, max_tokens)
            }
            (Self::On { display, .. }, _) => adaptive(display),
            (Self::Budget(_), _) => adaptive(ThinkingDisplay::Default),
        }
    }
}

/// A budget must leave tokens for the response.
fn with_budget(budget: u64, max_tokens: u64) -> Option<String> {
    let most = max_tokens.checked_sub(1).filter(|most| *most >= MIN_BUDGET)?;
    let budget = budget.clamp(MIN_BUDGET, most);
    Some(format!(r#"{{"type":"enabled","budget_tokens":{budget}}}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_in_its_own_way() {
        let on = Thinking::On { budget: 10_000, display: ThinkingDisplay::Default };
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
        let shown = Thinking::On { budget: 0, display: ThinkingDisplay::Summarized };
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
