//! Rejections that tell what must change in a request.

use super::super::failure::Failure;

/// Why the API rejects a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RejectionKind {
    /// The conversation does not fit into the context window.
    PromptTooLong,
    /// The conversation fits, but not together with `max_tokens`; `left` would fit.
    MaxTokensTooHigh { left: u64 },
    /// The thinking of earlier turns has no valid signature for this model.
    Thinking,
    /// The body has too many bytes.
    TooLarge,
}

/// The smallest `max_tokens` worth requesting.
const MIN_OUTPUT: u64 = 1024;

impl RejectionKind {
    pub(super) fn of(failure: &Failure) -> Option<Self> {
        let said = failure.api_error()?.message.to_lowercase();
        let says = |words: &str| said.contains(words);
        match failure.status()? {
            413 => Some(Self::TooLarge),
            400 if says("prompt is too long") => Some(Self::PromptTooLong),
            400 if says("exceed context limit") => Some(match room(&said) {
                Some(left) if left >= MIN_OUTPUT => Self::MaxTokensTooHigh { left },
                _ => Self::PromptTooLong,
            }),
            400 if says("thinking")
                && (says("signature") || says("cannot be modified") || says("invalid `data`")) =>
            {
                Some(Self::Thinking)
            }
            _ => None,
        }
    }
}

/// Computes what is left, from `… 190000 + 21333 > 200000 …`.
fn room(said: &str) -> Option<u64> {
    let (sum, after) = said.split_once('>')?;
    let (before, _) = sum.split_once('+')?;
    let number =
        |word: Option<&str>| word?.trim_matches(|letter: char| !letter.is_ascii_digit()).parse::<u64>().ok();
    let input = number(before.split_whitespace().next_back())?;
    let limit = number(after.split_whitespace().next())?;
    Some(limit.saturating_sub(input))
}

#[cfg(test)]
mod tests {
    use super::super::super::failure::{ApiError, ErrorResponse};
    use super::*;

    fn of(status: u16, message: &str) -> Option<RejectionKind> {
        let error = ApiError { kind: "invalid_request_error".into(), message: message.into(), raw: None };
        RejectionKind::of(&Failure::Refused(Box::new(ErrorResponse { status, headers: vec![], error })))
    }

    #[test]
    fn complaints_are_told_apart() {
        let exceeds = |input: u64| {
            format!(
                "input length and `max_tokens` exceed context limit: {input} + 32000 > 200000, decrease one"
            )
        };
        assert_eq!(of(400, &exceeds(190_000)), Some(RejectionKind::MaxTokensTooHigh { left: 10_000 }));
        assert_eq!(of(400, &exceeds(199_500)), Some(RejectionKind::PromptTooLong));
        assert_eq!(of(400, &exceeds(300_000)), Some(RejectionKind::PromptTooLong));
        assert_eq!(of(400, "they exceed context limit"), Some(RejectionKind::PromptTooLong));
        assert_eq!(
            of(400, "Prompt is too long: 210000 tokens > 200000 maximum"),
            Some(RejectionKind::PromptTooLong)
        );
        for refused in [
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
            "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
        ] {
            assert_eq!(of(400, refused), Some(RejectionKind::Thinking), "{refused}");
        }
        assert_eq!(of(413, "too large"), Some(RejectionKind::TooLarge));
        assert_eq!(of(400, "max_tokens: Field required"), None);
        assert_eq!(of(500, "prompt is too long"), None);
    }
}
