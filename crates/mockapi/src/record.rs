//! What the server remembers of each request, for tests to look at and for the log of the program.

use annals_json::{ObjectWriter, Value, write_string};

use super::validate::Violation;

/// Headers whose values are not recorded.
const KEYS: [&str; 3] = ["x-api-key", "authorization", "cookie"];
const HIDDEN: &str = "(hidden)";

/// A request, with the rules that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRequest {
    /// `POST` and the like.
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names and values, as they came.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
    /// The rules that it breaks.
    pub violations: Vec<Violation>,
    /// The status of the answer; nothing where the connection was ended without one.
    pub status: Option<u16>,
}

impl RecordedRequest {
    /// A header's value; names are compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The request as one JSON object: the body as it is where it is JSON, else as a string; keys are left out.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.string("method", &self.method).string("path", &self.path);
        match self.status {
            Some(status) => object.number("status", status),
            None => object.raw("status", b"null"),
        };
        object.array("violations", |list| {
            for violation in &self.violations {
                list.object(|object| violation.write(object));
            }
        });
        object.object("headers", |object| {
            for (name, value) in &self.headers {
                let name = name.to_ascii_lowercase();
                // A client may bring a real key, and records are passed on.
                let value = if KEYS.contains(&name.as_str()) { HIDDEN } else { value };
                object.string(&name, value);
            }
        });
        let place = object.key("body");
        match Value::parse(&self.body) {
            Ok(body) => place.extend_from_slice(body.raw()),
            Err(_) => write_string(place, &String::from_utf8_lossy(&self.body)),
        }
        object.end();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::validate::Rule;
    use super::*;

    #[test]
    fn a_request_is_logged_with_what_it_breaks() {
        let mut captured = RecordedRequest {
            method: "POST".into(),
            path: "/v1/messages".into(),
            headers: vec![("X-Api-Key".into(), "k".into())],
            body: br#" {"a":1} "#.to_vec(),
            violations: vec![Violation {
                rule: Rule::ModelGiven,
                place: "model".into(),
                message: "no".into(),
            }],
            status: Some(400),
        };
        let text = String::from_utf8(captured.to_json()).unwrap();
        assert_eq!(
            text,
            r#"{"method":"POST","path":"/v1/messages","status":400,"violations":[{"rule":"model_given","place":"model","message":"no"}],"headers":{"x-api-key":"(hidden)"},"body":{"a":1}}"#
        );
        captured.body = b"plain".to_vec();
        assert!(String::from_utf8(captured.to_json()).unwrap().ends_with(r#""body":"plain"}"#));
        assert_eq!(captured.header("x-API-key"), Some("k"));
    }
}
