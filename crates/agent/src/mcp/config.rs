//! The definition of a server in a configuration file, and the variables in it.

use std::time::Duration;

use annals_json::{Value, ValueKind, compact};
use annals_policy::secret::Secret;
use annals_store::digest::sha256;
use reqwest::Url;

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
    Http(RemoteServer),
    /// Server-sent events, the older way.
    Sse(RemoteServer),
    /// It runs inside the program that drives this one.
    Sdk,
}

/// A server that is reached over HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteServer {
    pub url: String,
    /// More headers.
    pub headers: Vec<(String, Secret)>,
    /// A command that prints still more headers, for each connection.
    pub headers_helper: Option<String>,
    /// What the definition says about signing in.
    pub oauth: OAuthSettings,
}

/// What a definition says about signing in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OAuthSettings {
    /// The client that is registered already.
    pub client_id: Option<String>,
    /// The port that the browser returns to; any if it is not set.
    pub callback_port: Option<u16>,
    /// What is asked for, separated by spaces.
    pub scopes: Option<String>,
    /// Where the authorization server describes itself.
    pub metadata_url: Option<String>,
}

impl ServerKind {
    /// Returns the name in configuration files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stdio { .. } => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
            Self::Sdk => "sdk",
        }
    }

    /// Returns how it is reached over HTTP; `None` if it is not.
    pub fn remote(&self) -> Option<&RemoteServer> {
        match self {
            Self::Http(remote) | Self::Sse(remote) => Some(remote),
            Self::Stdio { .. } | Self::Sdk => None,
        }
    }
}

impl RemoteServer {
    /// Returns the address as it is compared: in its usual spelling, without credentials. One that cannot be read stays as it is.
    pub fn comparable_url(&self) -> String {
        let Ok(mut url) = Url::parse(&self.url) else { return self.url.clone() };
        // Only addresses without a host refuse this.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        url.into()
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
            Some("http" | "streamable-http") => ServerKind::Http(reader.remote()?),
            Some("sse") => ServerKind::Sse(reader.remote()?),
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
        let of_address = ["headersHelper", "oauth"].into_iter().filter(|key| definition.get(key).is_some());
        let of_address = of_address.filter(|_| kind.remote().is_none());
        let mut notes: Vec<String> =
            of_address.map(|key| format!("{key} has no effect: the server has no address")).collect();
        let known = ["clientId", "callbackPort", "scopes", "authServerMetadataUrl"];
        let oauth = definition.get("oauth").and_then(Value::fields);
        let unknown = oauth.iter().flat_map(|fields| fields.iter()).map(|field| field.key.to_string());
        notes.extend(
            unknown
                .filter(|key| !known.contains(&key.as_str()))
                .map(|key| format!("oauth.{key} is not supported and has no effect")),
        );
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
        let text = value.text().ok_or_else(|| McpConfigError::Invalid(format!("{key} is not a string")))?;
        Ok(Some(self.expanded(&text.decode())))
    }

    fn required(&self, key: &str) -> Result<String, McpConfigError> {
        let text = self.text(key)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| McpConfigError::Invalid(format!("it has no {key}")))
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, McpConfigError> {
        let wrong = || McpConfigError::Invalid(format!("{key} is not a list of strings"));
        let Some(list) = self.definition.get(key).filter(|list| !list.is_null()) else {
            return Ok(Vec::new());
        };
        if list.kind() != ValueKind::Array {
            return Err(wrong());
        }
        list.items().map(|item| Ok(self.expanded(&item.text().ok_or_else(wrong)?.decode()))).collect()
    }

    fn pairs(&self, key: &str) -> Result<Vec<(String, Secret)>, McpConfigError> {
        let wrong = || McpConfigError::Invalid(format!("{key} is not an object of strings"));
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

    fn remote(&self) -> Result<RemoteServer, McpConfigError> {
        let wrong = |key: &str| McpConfigError::Invalid(format!("oauth.{key} cannot be used"));
        let oauth = self.definition.get("oauth").filter(|oauth| !oauth.is_null());
        let inner = DefinitionReader {
            definition: oauth.unwrap_or(Value::from_checked(b"{}")),
            variable: self.variable,
        };
        let port = inner.definition.get("callbackPort").filter(|port| !port.is_null());
        let callback_port = match port {
            Some(port) => {
                let port = port.count().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
                Some(port.ok_or_else(|| wrong("callbackPort"))?)
            }
            None => None,
        };
        Ok(RemoteServer {
            url: self.required("url")?,
            headers: self.pairs("headers")?,
            headers_helper: self.text("headersHelper")?.filter(|helper| !helper.trim().is_empty()),
            oauth: OAuthSettings {
                client_id: inner.text("clientId")?,
                callback_port,
                scopes: inner.text("scopes")?,
                metadata_url: inner.text("authServerMetadataUrl")?,
            },
        })
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
            (r#"{"type":"http","url":"http://h","headersHelper":1}"#, "invalid_config"),
            ("[]", "invalid_config"),
        ] {
            assert_eq!(read(json).unwrap_err().name(), name, "{json}");
        }
        let reserved = McpServerConfig::read("workspace", Value::from_checked(b"{}"), &|_| None);
        assert_eq!(reserved.unwrap_err().name(), "reserved_name");
        assert_eq!(read(r#"{"command":"x","headersHelper":"y"}"#).unwrap().notes.len(), 1);
        let odd = read(r#"{"type":"http","url":"http://h","oauth":{"clientId":"c","xaa":1}}"#).unwrap();
        assert_eq!(odd.notes, ["oauth.xaa is not supported and has no effect"]);
    }

    #[test]
    fn an_address_has_a_helper_and_a_way_to_sign_in() {
        let json = r#"{"type":"sse","url":"HTTPS://u:p@Host/x","headersHelper":"get ${FOO}",
            "oauth":{"clientId":"c","callbackPort":8080,"scopes":"a b"}}"#;
        let config = read(json).unwrap();
        let remote = config.kind.remote().unwrap();
        assert_eq!(remote.headers_helper.as_deref(), Some("get foo"));
        assert_eq!((remote.oauth.client_id.as_deref(), remote.oauth.callback_port), (Some("c"), Some(8080)));
        assert_eq!(remote.comparable_url(), "https://host/x");
        for wrong in ["0", "70000", "\"80\""] {
            let json = format!(r#"{{"type":"http","url":"http://h","oauth":{{"callbackPort":{wrong}}}}}"#);
            assert_eq!(read(&json).unwrap_err().name(), "invalid_config");
        }
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
