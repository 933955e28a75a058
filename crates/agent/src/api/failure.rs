//! What can go wrong between a request and the end of its answer, told apart by what has to be done about it.

use std::fmt;
use std::time::Duration;

use annals_json::{ObjectWriter, RawJson, Value};

use super::stream::StreamFault;

/// More of an answer that is no JSON helps nobody.
const SHOWN_CHARACTERS: usize = 200;

/// An error in the API's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// Its type: `overloaded_error` and the like; empty where the answer was none of the API's.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The whole, where it was JSON.
    pub raw: Option<RawJson>,
}

impl ApiError {
    /// Reads the body of an answer or the data of an event. A page of a proxy in between is kept as text, cut short.
    pub fn of_body(bytes: &[u8]) -> Self {
        let raw = RawJson::parse(bytes).ok();
        let error = raw.as_ref().and_then(|raw| raw.value().get("error"));
        let text = |key: &str| error.and_then(|error| error.get(key)).and_then(Value::text);
        if let Some(message) = text("message") {
            let kind = text("type").map_or_else(String::new, |kind| kind.to_string());
            return Self { kind, message: message.to_string(), raw };
        }
        let page = String::from_utf8_lossy(bytes);
        let words = page.split(|letter: char| letter.is_whitespace() || letter.is_control());
        let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        Self { kind: String::new(), message: line.chars().take(SHOWN_CHARACTERS).collect(), raw }
    }

    /// The status that such an error has outside of a stream.
    fn usual_status(&self) -> Option<u16> {
        Some(match self.kind.as_str() {
            "invalid_request_error" => 400,
            "authentication_error" => 401,
            "billing_error" => 402,
            "permission_error" => 403,
            "not_found_error" => 404,
            "request_too_large" => 413,
            "rate_limit_error" => 429,
            "api_error" => 500,
            "timeout_error" => 504,
            "overloaded_error" => 529,
            _ => return None,
        })
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind.is_empty() {
            return formatter.write_str(&self.message);
        }
        write!(formatter, "{} ({})", self.message, self.kind)
    }
}

/// An answer that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// What it says.
    pub error: ApiError,
}

impl Refusal {
    /// A header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Why a try did not end well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nobody answers at this address.
    #[error("cannot connect to {host}: {detail}")]
    Connect {
        /// Whom we tried to reach.
        host: String,
        /// What the system says.
        detail: String,
    },
    /// The other side is not who it should be, or does not speak TLS.
    #[error("no secure connection to {host}: {detail}")]
    Tls {
        /// Whom we tried to reach.
        host: String,
        /// What is wrong.
        detail: String,
    },
    /// The connection ended in the middle.
    #[error("the connection to {host} broke: {detail}")]
    Broken {
        /// With whom we spoke.
        host: String,
        /// What the system says.
        detail: String,
    },
    /// No byte for too long.
    #[error("nothing came for {} seconds", .after.as_secs())]
    Idle {
        /// How long we waited.
        after: Duration,
    },
    /// An answer that is no message.
    #[error("the API answered {}: {}", .0.status, .0.error)]
    Refused(Box<Refusal>),
    /// An answer of another kind: some proxy's page.
    #[error("the answer is no stream of events but {content_type:?}")]
    NotAStream {
        /// What it says it is.
        content_type: String,
    },
    /// The stream went wrong.
    #[error(transparent)]
    Stream(#[from] StreamFault),
}

impl Failure {
    /// The status of HTTP, told or meant.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refusal) => Some(refusal.status),
            Self::Stream(StreamFault::Api(error)) => error.usual_status(),
            _ => None,
        }
    }

    /// What the API says, where it says something.
    pub fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::Refused(refusal) => Some(&refusal.error),
            Self::Stream(StreamFault::Api(error)) => Some(error),
            _ => None,
        }
    }

    /// Whether the API has more to do than it can.
    pub fn is_overload(&self) -> bool {
        self.status() == Some(529) || self.api_error().is_some_and(|error| error.kind == "overloaded_error")
    }

    /// The failure as records keep it: `{status, message, requestID, error}`, as far as they are known.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        if let Some(status) = self.status() {
            object.number("status", status);
        }
        object.string("message", &self.to_string());
        if let Self::Refused(refusal) = self {
            object.string_if("requestID", refusal.header("request-id"));
        }
        if let Some(raw) = self.api_error().and_then(|error| error.raw.as_ref()) {
            object.raw("error", raw.raw());
        }
        object.end();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_and_pages_are_not_taken_for_errors() {
        let body = br#"{"type":"error","error":{"type":"overloaded_error","message":"busy \u00e9"},"request_id":"r"}"#;
        let error = ApiError::of_body(body);
        assert_eq!(error.to_string(), "busy é (overloaded_error)");
        assert!(Failure::Stream(StreamFault::Api(error)).is_overload());
        let page = format!("<html>\r\n <h1>502\x1b[31m</h1>{}", "x".repeat(500));
        let error = ApiError::of_body(page.as_bytes());
        assert!(error.kind.is_empty() && error.message.starts_with("<html> <h1>502 [31m</h1>xxx"));
        assert_eq!((error.message.chars().count(), error.raw.is_none()), (SHOWN_CHARACTERS, true));
        for odd in ["", "null", r#"{"error":"text"}"#, "\u{feff}{}"] {
            assert_eq!(ApiError::of_body(odd.as_bytes()).kind, "", "{odd}");
        }
    }

    #[test]
    fn a_failure_is_written_for_records() {
        let refusal = Refusal {
            status: 429,
            headers: vec![("request-id".into(), "req_1".into())],
            error: ApiError::of_body(br#"{"error":{"type":"rate_limit_error","message":"slow"}}"#),
        };
        let failure = Failure::Refused(Box::new(refusal));
        assert_eq!(
            String::from_utf8(failure.to_json()).unwrap(),
            r#"{"status":429,"message":"the API answered 429: slow (rate_limit_error)","requestID":"req_1","error":{"error":{"type":"rate_limit_error","message":"slow"}}}"#
        );
        let broken = Failure::Broken { host: "h".into(), detail: "reset".into() };
        assert_eq!(broken.to_json(), br#"{"message":"the connection to h broke: reset"}"#);
    }
}
