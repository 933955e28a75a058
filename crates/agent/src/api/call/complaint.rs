//! Refusals that say what has to change before the same request can work.

use super::super::failure::Failure;

/// What the API complains about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Complaint {
    /// The conversation does not fit into the model's window.
    PromptTooLong,
    /// The conversation fits, but not with room for the answer that was asked for. This much room there is.
    NoRoom { left: u64 },
    /// Thinking of earlier turns is not what this model signed.
    Thinking,
    /// The body has too many bytes.
    TooLarge,
}

/// With less room than this an answer is not worth asking for.
const LEAST_ROOM: u64 = 1024;

impl Complaint {
    pub(super) fn of(failure: &Failure) -> Option<Self> {
        let said = failure.api_error()?.message.to_lowercase();
        let says = |words: &str| said.contains(words);
        match failure.status()? {
            413 => Some(Self::TooLarge),
            400 if says("prompt is too long") => Some(Self::PromptTooLong),
            400 if says("exceed context limit") => Some(match room(&said) {
                Some(left) if left >= LEAST_ROOM => Self::NoRoom { left },
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

/// The room that is left, of `… 190000 + 21333 > 200000 …`.
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
    use super::super::super::failure::{ApiError, Refusal};
    use super::*;

    fn of(status: u16, message: &str) -> Option<Complaint> {
        let error = ApiError { kind: "invalid_request_error".into(), message: message.into(), raw: None };
        Complaint::of(&Failure::Refused(Box::new(Refusal { status, headers: vec![], error })))
    }

    #[test]
    fn complaints_are_told_apart() {
        let exceeds = |input: u64| {
            format!(
                "input length and `max_tokens` exceed context limit: {input} + 32000 > 200000, decrease one"
            )
        };
        assert_eq!(of(400, &exceeds(190_000)), Some(Complaint::NoRoom { left: 10_000 }));
        assert_eq!(of(400, &exceeds(199_500)), Some(Complaint::PromptTooLong));
        assert_eq!(of(400, &exceeds(300_000)), Some(Complaint::PromptTooLong));
        assert_eq!(of(400, "they exceed context limit"), Some(Complaint::PromptTooLong));
        assert_eq!(
            of(400, "Prompt is too long: 210000 tokens > 200000 maximum"),
            Some(Complaint::PromptTooLong)
        );
        for refused in [
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
            "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
        ] {
            assert_eq!(of(400, refused), Some(Complaint::Thinking), "{refused}");
        }
        assert_eq!(of(413, "too large"), Some(Complaint::TooLarge));
        assert_eq!(of(400, "max_tokens: Field required"), None);
        assert_eq!(of(500, "prompt is too long"), None);
    }
}
