//! Which MCP servers settings let be started: `allowedMcpServers` and `deniedMcpServers`, by name, command or address.

use annals_json::{Fields, Value, ValueKind};

/// What an entry of a list names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerPattern {
    /// `serverName`: the name of a server.
    Name(String),
    /// `serverCommand`: a program with all of its arguments.
    Command(Vec<String>),
    /// `serverUrl`: an address, in which `*` stands for anything.
    Url(String),
}

/// How a server would be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerTarget<'t> {
    /// A program with its arguments.
    Command(&'t [String]),
    /// An address, in its usual spelling and without credentials.
    Url(&'t str),
    /// The program that drives this one.
    Program,
}

/// Why a server is not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerRefusal {
    /// `deniedMcpServers` names it.
    Denied,
    /// `allowedMcpServers` does not name it.
    NotAllowed,
}

/// The lists of one source, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerLists {
    /// `allowedMcpServers`; `None` if everything is allowed.
    pub allowed: Option<Vec<ServerPattern>>,
    /// `deniedMcpServers`
    pub denied: Vec<ServerPattern>,
    /// `allowManagedMcpServersOnly`: whether nobody adds to what this source allows.
    pub is_final: bool,
}

impl ServerLists {
    /// Reads the lists of a settings file; also returns the keys that are wrong. An entry that cannot be read allows nothing, and
    /// a list that is none is empty.
    pub(crate) fn parse(fields: &Fields<'_>) -> (Self, Vec<&'static str>) {
        let mut wrong = Vec::new();
        let mut list = |key: &'static str| {
            let value = fields.get(key).filter(|value| !value.is_null())?;
            let is_list = value.kind() == ValueKind::Array;
            let read: Vec<_> = value.items().map(pattern).collect();
            if !is_list || read.iter().any(Option::is_none) {
                wrong.push(key);
            }
            Some(read.into_iter().flatten().collect::<Vec<_>>())
        };
        let (allowed, denied) = (list("allowedMcpServers"), list("deniedMcpServers").unwrap_or_default());
        (Self { allowed, denied, is_final: fields.is_true("allowManagedMcpServersOnly") }, wrong)
    }

    /// Adds the lists of a source that has less to say.
    pub(crate) fn add(&mut self, other: Self) {
        self.denied.extend(other.denied);
        if !self.is_final {
            self.allowed = match (self.allowed.take(), other.allowed) {
                (Some(mut first), Some(second)) => {
                    first.extend(second);
                    Some(first)
                }
                (first, second) => first.or(second),
            };
            self.is_final |= other.is_final;
        }
    }

    /// Returns why a server is not started; `None` if it may be.
    ///
    /// If a list of what is allowed names commands, the name of a program's server is not enough; the same for addresses.
    pub fn refusal(&self, name: &str, target: ServerTarget<'_>) -> Option<ServerRefusal> {
        if self.denied.iter().any(|pattern| pattern.is_met(name, target)) {
            return Some(ServerRefusal::Denied);
        }
        let allowed = self.allowed.as_ref().filter(|_| target != ServerTarget::Program)?;
        let is_precise = allowed.iter().any(|pattern| pattern.is_about(target));
        let counts = |pattern: &&ServerPattern| !is_precise || pattern.is_about(target);
        let is_allowed = allowed.iter().filter(counts).any(|pattern| pattern.is_met(name, target));
        (!is_allowed).then_some(ServerRefusal::NotAllowed)
    }
}

impl ServerPattern {
    /// Whether it speaks of commands, for a command, or of addresses, for an address.
    fn is_about(&self, target: ServerTarget<'_>) -> bool {
        matches!(
            (self, target),
            (Self::Command(_), ServerTarget::Command(_)) | (Self::Url(_), ServerTarget::Url(_))
        )
    }

    fn is_met(&self, name: &str, target: ServerTarget<'_>) -> bool {
        match (self, target) {
            (Self::Name(wanted), _) => wanted == name,
            (Self::Command(words), ServerTarget::Command(given)) => words == given,
            (Self::Url(pattern), ServerTarget::Url(url)) => {
                let pattern = with_small_host(pattern);
                // An address without a path is written with a slash or without one.
                matches_wildcards(&pattern, url) || matches_wildcards(&pattern, url.trim_end_matches('/'))
            }
            _ => false,
        }
    }
}

fn pattern(entry: Value<'_>) -> Option<ServerPattern> {
    let text = |key: &str| Some(entry.get(key)?.text()?.into_string());
    let words = |value: Value<'_>| -> Option<Vec<String>> {
        (value.kind() == ValueKind::Array).then_some(())?;
        value.items().map(|word| Some(word.text()?.into_string())).collect()
    };
    text("serverName")
        .map(ServerPattern::Name)
        .or_else(|| text("serverUrl").map(ServerPattern::Url))
        .or_else(|| entry.get("serverCommand").and_then(words).map(ServerPattern::Command))
}

/// The case of letters means nothing in a scheme and a host.
fn with_small_host(pattern: &str) -> String {
    let host = pattern.find("://").map_or(0, |at| at + 3);
    let end = pattern[host..].find('/').map_or(pattern.len(), |at| host + at);
    format!("{}{}", pattern[..end].to_ascii_lowercase(), &pattern[end..])
}

/// Returns whether a text is one that a pattern describes, in which `*` stands for anything.
fn matches_wildcards(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(json: &str) -> (ServerLists, Vec<&'static str>) {
        ServerLists::parse(&Value::parse(json.as_bytes()).unwrap().fields().unwrap())
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn no_list_allows_everything_and_an_empty_one_nothing() {
        let all = ServerLists::default();
        assert_eq!(all.refusal("x", ServerTarget::Command(&words("a b"))), None);
        let (none, wrong) = lists(r#"{"allowedMcpServers":[]}"#);
        assert!(wrong.is_empty());
        assert_eq!(none.refusal("x", ServerTarget::Url("https://h/")), Some(ServerRefusal::NotAllowed));
        assert_eq!(none.refusal("x", ServerTarget::Program), None);
    }

    #[test]
    fn names_count_where_nothing_more_precise_is_said() {
        let (lists, _) = lists(
            r#"{"allowedMcpServers":[{"serverName":"mem"},{"serverUrl":"https://*.Example.com/*"}],
            "deniedMcpServers":[{"serverName":"bad"},{"serverCommand":["npx","evil"]}]}"#,
        );
        let of = |name: &str, target: ServerTarget<'_>| lists.refusal(name, target);
        assert_eq!(of("mem", ServerTarget::Command(&words("a b"))), None);
        assert_eq!(of("other", ServerTarget::Command(&words("a b"))), Some(ServerRefusal::NotAllowed));
        assert_eq!(of("mem", ServerTarget::Url("https://h/mcp")), Some(ServerRefusal::NotAllowed));
        assert_eq!(of("any", ServerTarget::Url("https://a.example.com/mcp")), None);
        assert_eq!(of("bad", ServerTarget::Url("https://a.example.com/mcp")), Some(ServerRefusal::Denied));
        assert_eq!(of("mem", ServerTarget::Command(&words("npx evil"))), Some(ServerRefusal::Denied));
        assert_eq!(of("mem", ServerTarget::Command(&words("npx evil more"))), None);
        assert_eq!(of("bad", ServerTarget::Program), Some(ServerRefusal::Denied));
    }

    #[test]
    fn a_list_that_is_wrong_allows_no_more_than_what_can_be_read() {
        let (read, wrong) =
            lists(r#"{"allowedMcpServers":[{"serverName":7},{"serverName":"a"}],"deniedMcpServers":"all"}"#);
        assert_eq!(wrong, ["allowedMcpServers", "deniedMcpServers"]);
        assert_eq!(read.allowed, Some(vec![ServerPattern::Name("a".into())]));
        let (read, _) = lists(r#"{"allowedMcpServers":"all"}"#);
        assert_eq!(read.allowed, Some(Vec::new()));
    }

    #[test]
    fn sources_add_to_each_other_unless_the_first_is_final() {
        let all = |first: &str| {
            let (mut all, _) = lists(first);
            all.add(
                lists(
                    r#"{"allowedMcpServers":[{"serverName":"b"}],"deniedMcpServers":[{"serverName":"c"}]}"#,
                )
                .0,
            );
            ["a", "b", "c"].map(|name| all.refusal(name, ServerTarget::Command(&words("x"))).is_none())
        };
        assert_eq!(all(r#"{"allowedMcpServers":[{"serverName":"a"}]}"#), [true, true, false]);
        let last = r#"{"allowedMcpServers":[{"serverName":"a"}],"allowManagedMcpServersOnly":true}"#;
        assert_eq!(all(last), [true, false, false]);
    }

    #[test]
    fn wildcards_stand_for_anything() {
        for (pattern, text, is_met) in [
            ("https://h/*", "https://h/", true),
            ("https://h/*", "https://h.evil/", false),
            ("https://*/mcp", "https://a.b/mcp", true),
            ("https://*/mcp", "https://a.b/mcp/x", false),
            ("*a*a", "aa", true),
            ("*a*a", "a", false),
            ("https://h", "https://h", true),
        ] {
            assert_eq!(matches_wildcards(pattern, text), is_met, "{pattern} {text}");
        }
        let (lists, _) = lists(r#"{"allowedMcpServers":[{"serverUrl":"https://H"}]}"#);
        assert_eq!(lists.refusal("x", ServerTarget::Url("https://h/")), None);
    }
}
