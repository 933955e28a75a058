//! Stop reasons: why the model ended a response.

use annals_json::RawJson;

/// Why a response ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model is done.
    EndTurn,
    /// A stop sequence of the request came up.
    StopSequence,
    /// Tool calls wait for their results.
    ToolUse,
    /// The limit of the request was reached: the last block may be cut.
    MaxTokens,
    /// A server tool takes long: send the conversation with this response to continue.
    PauseTurn,
    /// The model refuses to answer.
    Refusal,
    /// The context window is full.
    ContextWindowExceeded,
    /// The server compacted the conversation.
    Compaction,
    /// A reason that this program does not know.
    Other(String),
}

const NAMES: [(StopReason, &str); 8] = [
    (StopReason::EndTurn, "end_turn"),
    (StopReason::StopSequence, "stop_sequence"),
    (StopReason::ToolUse, "tool_use"),
    (StopReason::MaxTokens, "max_tokens"),
    (StopReason::PauseTurn, "pause_turn"),
    (StopReason::Refusal, "refusal"),
    (StopReason::ContextWindowExceeded, "model_context_window_exceeded"),
    (StopReason::Compaction, "compaction"),
];

impl StopReason {
    /// Parses the name of a reason.
    pub fn parse(name: &str) -> Self {
        let known = NAMES.into_iter().find(|(_, known)| *known == name);
        known.map_or_else(|| Self::Other(name.to_owned()), |(reason, _)| reason)
    }

    /// Returns the name in the API and in records.
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => NAMES.iter().find(|(reason, _)| reason == known).map_or("", |(_, name)| name),
        }
    }
}

/// How a response ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopInfo {
    pub reason: StopReason,
    /// The stop sequence, if one came up.
    pub sequence: Option<String>,
    /// Further details: the category of a refusal.
    pub details: Option<RawJson>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_known_by_its_name() {
        for (reason, name) in NAMES {
            assert_eq!((StopReason::parse(name), reason.name()), (reason.clone(), name));
        }
        let newer = StopReason::parse("tired");
        assert_eq!((newer.name(), &newer), ("tired", &StopReason::Other("tired".into())));
    }
}
