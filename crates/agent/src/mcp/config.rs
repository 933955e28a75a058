//! The definition of a server in a configuration file, and the variables in it.

use std::time::Duration;

use annals_json::{Value, ValueKind, compact};
use annals_policy::secret::Secret;
use annals_store::digest::sha256;

/// Names that clients keep for themselves.
const RESERVED: [&str; 5] =
    ["workspace", "claude-in-chrome", "computer-use", "Claude Preview", "Claude Browser"];

/// The shortest time that a definition can set for a call.
const MIN_TIMEOUT: Duration = Duration::from_secs(1);

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// A program that is started, with its arguments and more variables.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// More variables.
        env: Vec<(String, Secret)>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// More headers.
        headers: Vec<(String, Secret)>,
    },
    /// Server-sent events, the older way.
    Sse {
        /// The address.
        url: String,
        /// More headers.
        headers: Vec<(String, Secret)>,
    },
    /// It runs inside the program that drives this one.
    Sdk,
}

impl ServerKind {
    /// Returns the name in configuration files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stdio { .. } => "stdio",
            Self::Http { .. } => "http",
            Self::Sse { .. } => "sse",
            Self::Sdk => "sdk",
        }
    }
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerConfig {
    /// How it is reached.
    pub kind: ServerKind,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// What in it has no effect, one line each.
    pub notes: Vec<String>,
}

/// Why a definition cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpConfigError {
    /// It has an address and does not say what is spoken there.
    #[error("it has a url and no type: add \"type\": \"http\" or \"sse\"")]
    MissingType,
    /// The name belongs to the client.
    #[error("the name is reserved")]
    ReservedName,
    /// The type is not supported.
    #[error("the type {0:?} is not supported")]
    UnsupportedType(String),
    /// A value is missing or of another type.
    #[error("{0}")]
    Invalid(String),
}

impl McpConfigError {
    /// Returns the name in `system/init`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MissingType => "url_missing_type",
            Self::ReservedName => "reserved_name",
            Self::UnsupportedType(_) => "unsupported_type",
            Self::Invalid(_) => "invalid_config",
        }
    }
}

impl McpServerConfig {
    /// Reads a definition. `variable` returns the value of a variable.
    pub fn read(
        name: &str,
        definition: Value<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, McpConfigError> {
        if RESERVED.contains(&name) {
            return Err(McpConfigError::ReservedName);
        }
        if definition.kind() != ValueKind::Object {
            return Err(invalid("its definition is not an object"));
        }
        let reader = DefinitionReader { definition, variable };
        let named = reader.text("type")?;
        let kind = match named.as_deref() {
            Some("sdk") => ServerKind::Sdk,
            Some("http" | "streamable-http") => {
                ServerKind::Http { url: reader.required("url")?, headers: reader.pairs("headers")? }
            }
            Some("sse") => {
                ServerKind::Sse { url: reader.required("url")?, headers: reader.pairs("headers")? }
            }
            None if definition.get("command").is_none() && definition.get("url").is_some() => {
                return Err(McpConfigError::MissingType);
            }
            None | Some("stdio") => ServerKind::Stdio {
                command: reader.required("command")?,
                args: reader.texts("args")?,
                env: reader.pairs("env")?,
            },
            Some(other) => return Err(McpConfigError::UnsupportedType(other.to_owned())),
        };
        let ignored = ["headersHelper", "oauth"].into_iter().filter(|key| definition.get(key).is_some());
        let notes = ignored.map(|key| format!("{key} is not supported and has no effect")).collect();
        let timeout = definition.get("timeout").and_then(Value::count).map(Duration::from_millis);
        Ok(Self { kind, timeout: timeout.map(|timeout| timeout.max(MIN_TIMEOUT)), notes })
    }
}

/// Returns the fingerprint of a definition: another one after every change that means something.
pub fn fingerprint(name: &str, definition: Value<'_>) -> String {
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(0);
    compact(definition, &mut bytes);
    sha256(&bytes)
}

fn invalid(why: &str) -> McpConfigError {
    McpConfigError::Invalid(why.to_owned())
}

struct DefinitionReader<'d> {
    definition: Value<'d>,
    variable: &'d dyn Fn(&str) -> Option<String>,
}

impl DefinitionReader<'_> {
    fn text(&self, key: &str) -> Result<Option<String>, McpConfigError> {
        let Some(value) = self.definition.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let text = value.text().ok_or_else(|| McpConfigError::Invalid(format!("{key} is not a text")))?;
        Ok(Some(self.expanded(&text.decode())))
    }

    fn required(&self, key: &str) -> Result<String, McpConfigError> {
        let text = self.text(key)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| McpConfigError::Invalid(format!("it has no {key}")))
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, McpConfigError> {
        let wrong = || McpConfigError::Invalid(format!("{key} is not a list of texts"));
        let Some(list) = self.definition.get(key).filter(|list| !list.is_null()) else {
            return Ok(Vec::new());
        };
        if list.kind() != ValueKind::Array {
            return Err(wrong());
        }
        list.items().map(|item| Ok(self.expanded(&item.text().ok_or_else(wrong)?.decode()))).collect()
    }

    fn pairs(&self, key: &str) -> Result<Vec<(String, Secret)>, McpConfigError> {
        let wrong = || McpConfigError::Invalid(format!("{key} is not an object of texts"));
        let Some(object) = self.definition.get(key).filter(|object| !object.is_null()) else {
            return Ok(Vec::new());
        };
        let fields = object.fields().ok_or_else(wrong)?;
        let pair = |field: annals_json::Field<'_>| {
            let value = self.expanded(&field.value.text().ok_or_else(wrong)?.decode());
            Ok((field.key.to_string(), Secret::from(value)))
        };
        fields.iter().map(pair).collect()
    }

    /// Fills in `${NAME}` and `${NAME:-default}`. A variable that is not set and has no default stays as it is written.
    fn expanded(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find("${") {
            out.push_str(&rest[..at]);
            let Some(length) = rest[at..].find('}') else { break };
            let (whole, inside) = (&rest[at..=at + length], &rest[at + 2..at + length]);
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default.to_owned())),
                None => (inside, None),
            };
            out.push_str(&(self.variable)(name).or(default).unwrap_or_else(|| whole.to_owned()));
            rest = &rest[at + length + 1..];
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<McpServerConfig, McpConfigError> {
        let variable = |name: &str| (name == "FOO").then(|| "foo".to_owned());
        McpServerConfig::read("srv", Value::parse(json.as_bytes()).unwrap(), &variable)
    }

    #[test]
    fn variables_are_filled_in() {
        let config = read(r#"{"command":"x","args":["a${FOO}b","${BAR:-d}","${BAR}","$FOO","${FOO","${BAR:-}"],"env":{"A":"${FOO}"}}"#).unwrap();
        let ServerKind::Stdio { args, env, .. } = &config.kind else { panic!("{config:?}") };
        assert_eq!(args[..], ["afoob", "d", "${BAR}", "$FOO", "${FOO", ""]);
        assert_eq!(env[0].1.reveal(), "foo");
        let config = read(
            r#"{"type":"streamable-http","url":"http://h/${FOO}","headers":{"X":"${FOO}"},"timeout":5}"#,
        );
        let config = config.unwrap();
        assert_eq!((config.kind.name(), config.timeout), ("http", Some(MIN_TIMEOUT)));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (json, name) in [
            (r#"{"url":"http://h"}"#, "url_missing_type"),
            (r#"{"type":"ws","url":"ws://h"}"#, "unsupported_type"),
            (r#"{"command":""}"#, "invalid_config"),
            (r#"{"command":7}"#, "invalid_config"),
            (r#"{"command":"x","args":"y"}"#, "invalid_config"),
            (r#"{"command":"x","env":{"A":1}}"#, "invalid_config"),
            (r#"{"type":"http"}"#, "invalid_config"),
            ("[]", "invalid_config"),
        ] {
            assert_eq!(read(json).unwrap_err().name(), name, "{json}");
        }
        let reserved = McpServerConfig::read("workspace", Value::from_checked(b"{}"), &|_| None);
        assert_eq!(reserved.unwrap_err().name(), "reserved_name");
        assert_eq!(read(r#"{"command":"x","headersHelper":"y"}"#).unwrap().notes.len(), 1);
    }

    #[test]
    fn a_fingerprint_changes_with_the_meaning() {
        let of = |name: &str, json: &str| fingerprint(name, Value::parse(json.as_bytes()).unwrap());
        let first = of("a", r#"{"command":"x","args":["y"]}"#);
        assert_eq!(first, of("a", "{ \"command\": \"x\",\n \"args\": [\"y\"] }"));
        assert_ne!(first, of("b", r#"{"command":"x","args":["y"]}"#));
        assert_ne!(first, of("a", r#"{"command":"x","args":["z"]}"#));
    }
}
