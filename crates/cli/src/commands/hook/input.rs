//! What a client tells a hook on standard input.

use std::io::{self, Read};
use std::path::PathBuf;

use annals_json::Value;

use crate::context::Context;
use crate::error::Fault;

/// More is not read.
const MAX_INPUT: u64 = 8 * 1024 * 1024;

/// What happened, as far as it is used here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HookInput {
    pub(super) session: Option<String>,
    pub(super) transcript: Option<PathBuf>,
    pub(super) folder: Option<PathBuf>,
}

impl HookInput {
    /// Reads standard input, unless it is a terminal: by hand there is nothing to tell.
    pub(super) fn read(context: &Context) -> Result<Self, Fault> {
        if context.stdin_is_terminal() {
            return Ok(Self::default());
        }
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(MAX_INPUT).read_to_end(&mut bytes);
        read.map_err(|error| Fault::of_io(&error, format!("cannot read standard input: {error}")))?;
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        let value = Value::parse(bytes.trim_ascii())
            .map_err(|fault| Fault::usage(format!("standard input is not JSON at byte {}", fault.at)))?;
        let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
        let text = |key: &str| text(key).filter(|text| !text.is_empty());
        Ok(Self {
            session: text("session_id"),
            transcript: text("transcript_path").map(PathBuf::from),
            folder: text("cwd").map(PathBuf::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_absent_and_other_text_is_refused() {
        assert_eq!(HookInput::parse(b"\n").unwrap(), HookInput::default());
        let input =
            HookInput::parse(br#"{"session_id":"s","cwd":"","transcript_path":"/t","x":[1]}"#).unwrap();
        assert_eq!(input.session.as_deref(), Some("s"));
        assert_eq!((input.folder, input.transcript), (None, Some(PathBuf::from("/t"))));
        assert!(HookInput::parse(b"hello").is_err());
    }
}
