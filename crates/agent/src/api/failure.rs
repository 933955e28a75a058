//! Failures between a request and the end of its response, by what must be done about them.

use std::fmt;
use std::time::Duration;

use annals_json::{ObjectWriter, RawJson, Value};

use super::stream::StreamError;

/// The most characters kept of a body that is not JSON.
const MAX_SHOWN_CHARACTERS: usize = 200;

/// An error reported by the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The error type, such as `overloaded_error`; empty if the body is not from the API.
    pub kind: String,
    pub message: String,
    /// The whole error, if it is JSON.
    pub raw: Option<RawJson>,
}

impl ApiError {
    /// Parses the body of an error response or the data of an error event. Other text, such as a proxy's page, is shortened.
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
        Self { kind: String::new(), message: line.chars().take(MAX_SHOWN_CHARACTERS).collect(), raw }
    }

    /// Returns the HTTP status that this error has outside a stream.
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

/// A response with an error status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorResponse {
    /// The HTTP status.
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The error in its body.
    pub error: ApiError,
}

impl ErrorResponse {
    /// Returns a header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The connection was refused or timed out.
    #[error("cannot connect to {host}: {detail}")]
    Connect {
        host: String,
        /// The error of the system.
        detail: String,
    },
    /// TLS failed: wrong certificate, or no TLS at all.
    #[error("no secure connection to {host}: {detail}")]
    Tls {
        host: String,
        /// What is wrong.
        detail: String,
    },
    /// The connection broke.
    #[error("lost the connection to {host}: {detail}")]
    Broken {
        host: String,
        /// The error of the system.
        detail: String,
    },
    /// No byte came for too long.
    #[error("no data for {} seconds", .after.as_secs())]
    Idle {
        /// The idle timeout.
        after: Duration,
    },
    /// The API answered with an error.
    #[error("the API answered {}: {}", .0.status, .0.error)]
    Refused(Box<ErrorResponse>),
    /// The response is not an event stream, but a proxy's page or the like.
    #[error("the response is not an event stream but {content_type:?}")]
    NotAStream {
        /// The `content-type` header.
        content_type: String,
    },
    /// The stream is invalid, incomplete or holds an error.
    #[error(transparent)]
    Stream(#[from] StreamError),
}

impl Failure {
    /// Returns the HTTP status, or the one that matches an error event.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refusal) => Some(refusal.status),
            Self::Stream(StreamError::Api(error)) => error.usual_status(),
            _ => None,
        }
    }

    /// Returns the API's own error, if there is one.
    pub fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::Refused(refusal) => Some(&refusal.error),
            Self::Stream(StreamError::Api(error)) => Some(error),
            _ => None,
        }
    }

    /// Returns whether the API is overloaded.
    pub fn is_overload(&self) -> bool {
        self.status() == Some(529) || self.api_error().is_some_and(|error| error.kind == "overloaded_error")
    }

    /// Returns the failure as records store it: `{status, message, requestID, error}`, as far as they are known.
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
        assert!(Failure::Stream(StreamError::Api(error)).is_overload());
        let page = format!("<html>\r\n <h1>502\x1b[31m</h1>{}", "x".repeat(500));
        let error = ApiError::of_body(page.as_bytes());
        assert!(error.kind.is_empty() && error.message.starts_with("<html> <h1>502 [31m</h1>xxx"));
        assert_eq!((error.message.chars().count(), error.raw.is_none()), (MAX_SHOWN_CHARACTERS, true));
        for odd in ["", "null", r#"{"error":"text"}"#, "\u{feff}{}"] {
            assert_eq!(ApiError::of_body(odd.as_bytes()).kind, "", "{odd}");
        }
    }

    #[test]
    fn a_failure_is_written_for_records() {
        let refusal = ErrorResponse {
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
        assert_eq!(broken.to_json(), br#"{"message":"lost the connection to h: reset"}"#);
    }
}
