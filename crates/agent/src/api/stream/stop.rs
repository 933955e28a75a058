//! Why a response ended, as the API says it.

use annals_json::RawJson;

/// The reason of the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model is done.
    EndTurn,
    /// One of the request's sequences came up.
    StopSequence,
    /// It waits for the results of tools.
    ToolUse,
    /// The limit of the request was reached: the last block may be cut.
    MaxTokens,
    /// A server tool takes long: the same conversation, with this response, goes on.
    PauseTurn,
    /// It will not answer.
    Refusal,
    /// The window of the model is full.
    ContextWindowExceeded,
    /// The server has summed up the conversation.
    Compaction,
    /// A reason that is newer than this code.
    Other(String),
}

/// The names of the reasons that have one.
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
    /// The reason of this name.
    pub fn parse(name: &str) -> Self {
        let known = NAMES.into_iter().find(|(_, known)| *known == name);
        known.map_or_else(|| Self::Other(name.to_owned()), |(reason, _)| reason)
    }

    /// Its name in the API and in records.
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => NAMES.iter().find(|(reason, _)| reason == known).map_or("", |(_, name)| name),
        }
    }
}

/// How a response ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// The sequence that came up, where it was one.
    pub sequence: Option<String>,
    /// What else was said about it: the category of a refusal.
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
