//! Why the engine did not do what it was asked for. It answers 500 to nearly everything: the code tells what may pass.

use std::io;

use annals_collect::sink::{HttpReply, RequestError, SinkError};

/// Failures that pass by themselves: time, load, memory, full or read-only disks, replicas, Keeper, S3.
const TEMPORARY: [&str; 29] = [
    "3", "32", "75", "159", "198", "202", "203", "209", "210", "225", "236", "241", "242", "243", "252",
    "254", "279", "285", "286", "319", "394", "416", "425", "439", "473", "499", "745", "999", "1000",
];
/// There is no such database, table or column.
const NO_SCHEMA: [&str; 4] = ["16", "47", "60", "81"];
/// The login is wrong, or may not do this.
const DENIED: [&str; 6] = ["164", "192", "193", "194", "497", "516"];

/// How much of an answer is quoted.
const MAX_QUOTED: usize = 300;

/// Why the engine did not answer, or refused.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Another attempt may help.
    #[error("{0}")]
    Unavailable(String),
    /// The tables are not there, or of another schema.
    #[error("{0}")]
    NoSchema(String),
    /// The login is wrong, or may not do this.
    #[error("{0}")]
    Denied(String),
    /// It refuses what it was asked for.
    #[error("{0}")]
    Refused(String),
    /// The request is too large.
    #[error("{0}: too large")]
    TooLarge(String),
    /// It is not who it should be, or cannot prove it.
    #[error("{0}")]
    Untrusted(String),
    /// Nothing could be sent from here.
    #[error("cannot send: {0}")]
    Local(io::Error),
}

impl EngineError {
    pub(super) fn of_request(name: &str, error: RequestError) -> Self {
        match error {
            RequestError::Setup(source) => Self::Local(source),
            RequestError::Untrusted(_) => Self::Untrusted(format!("{name}: {error}")),
            _ => Self::Unavailable(format!("{name}: {error}")),
        }
    }

    pub(super) fn of_reply(name: &str, reply: &HttpReply) -> Self {
        let body = String::from_utf8_lossy(&reply.body);
        let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let said: String = first.chars().take(MAX_QUOTED).collect();
        let what = match said.is_empty() {
            true => format!("{name}: status {}", reply.status),
            false => format!("{name}: {said}"),
        };
        let code = reply.header.as_deref().or_else(|| stated_code(first));
        match (code, reply.status) {
            (Some(code), _) if TEMPORARY.contains(&code) => Self::Unavailable(what),
            (Some(code), _) if NO_SCHEMA.contains(&code) => Self::NoSchema(what),
            (Some(code), _) if DENIED.contains(&code) => Self::Denied(what),
            (Some(_), _) => Self::Refused(what),
            (None, 401 | 403) => Self::Denied(what),
            (None, 413) => Self::TooLarge(what),
            (None, 408 | 425 | 429 | 500..=599) => Self::Unavailable(what),
            (None, _) => Self::Refused(what),
        }
    }

    /// The same as the error of a sink.
    pub fn into_sink_error(self) -> SinkError {
        let what = self.to_string();
        match self {
            Self::Unavailable(_) => SinkError::Unavailable { what, retry_after: None },
            Self::TooLarge(what) => SinkError::TooLarge { what },
            Self::Untrusted(_) => SinkError::Untrusted { what },
            Self::Local(source) => SinkError::Output { source },
            // It is not about these items: everything waits until the tables or the login are put right.
            Self::NoSchema(_) => {
                SinkError::Denied { what: format!("{what} (annals team init creates the tables)") }
            }
            Self::Denied(_) => SinkError::Denied { what },
            Self::Refused(_) => SinkError::Refused { what },
        }
    }
}

/// The code that the text of a failure begins with: a proxy may have left the header out, and old servers send none.
fn stated_code(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("Code: ")?;
    let end = digits.find(|letter: char| !letter.is_ascii_digit())?;
    digits[end..].contains("DB::").then(|| &digits[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: Option<&str>, status: u16) -> EngineError {
        let body = match code {
            Some(_) => b"\nCode: 1. DB::Exception: no\nmore".to_vec(),
            None => b"no".to_vec(),
        };
        EngineError::of_reply("db/annals", &HttpReply { status, header: code.map(str::to_owned), body })
    }

    #[test]
    fn the_code_tells_whether_another_attempt_helps() {
        for code in ["75", "159", "202", "209", "210", "241", "242", "243", "252", "254", "286", "499", "999"]
        {
            assert!(matches!(of(Some(code), 500), EngineError::Unavailable(_)), "{code}");
        }
        for code in ["62", "27", "117", "36"] {
            assert!(matches!(of(Some(code), 500), EngineError::Refused(_)), "{code}");
        }
        assert!(matches!(of(Some("60"), 404), EngineError::NoSchema(_)));
        assert!(matches!(of(Some("516"), 403), EngineError::Denied(_)));
        assert!(matches!(of(None, 502), EngineError::Unavailable(_)));
        assert!(matches!(of(None, 413), EngineError::TooLarge(_)));
        assert!(matches!(of(None, 302), EngineError::Refused(_)));
        assert_eq!(of(Some("62"), 400).to_string(), "db/annals: Code: 1. DB::Exception: no");
    }

    #[test]
    fn the_code_is_read_from_the_text_where_there_is_no_header() {
        let of = |text: &str, status| {
            let body = text.as_bytes().to_vec();
            EngineError::of_reply("db/annals", &HttpReply { status, header: None, body })
        };
        let old =
            "Code: 60, e.displayText() = DB::Exception: Table a.b doesn't exist., e.what() = DB::Exception";
        assert!(matches!(of(old, 404), EngineError::NoSchema(_)));
        assert!(matches!(of("Code: 242. DB::Exception: read-only", 500), EngineError::Unavailable(_)));
        assert!(matches!(of("Code: 62. DB::Exception: no", 500), EngineError::Refused(_)));
        // Another program's words are no code.
        assert!(matches!(of("Code: 60 things", 502), EngineError::Unavailable(_)));
        assert!(matches!(of("Code: ", 404), EngineError::Refused(_)));
    }
}
