//! Where a request was sent to, and which page sent it.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, Method, header};

/// The names under which the server may be reached. A name that an attacker points at this machine (DNS rebinding) is none of
/// them; an address cannot be pointed anywhere.
#[derive(Debug)]
pub(crate) struct HostRules {
    names: Vec<String>,
}

impl HostRules {
    /// Addresses, `localhost`, and these names.
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self { names: names.into_iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Whether the request names a host that is ours, exactly once.
    pub(crate) fn allow(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        host.to_str().is_ok_and(|host| self.knows(host))
    }

    fn knows(&self, host: &str) -> bool {
        let name = host_name(host).to_ascii_lowercase();
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        name == "localhost"
            || name.parse::<Ipv4Addr>().is_ok()
            || bare.is_some_and(|bare| bare.parse::<Ipv6Addr>().is_ok())
            || self.names.contains(&name)
    }
}

/// A host without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

/// Whether the request comes from one of our pages, or from no page at all, such as a typed address. Another port of the same
/// machine is another page. What changes something has to name its origin, or its page where an old browser names no origin.
pub(crate) fn is_from_here(method: &Method, headers: &HeaderMap, is_https: bool) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let site = text("sec-fetch-site");
    if site.is_some_and(|site| !matches!(site, "none" | "same-origin")) {
        return false;
    }
    let host = text("host").unwrap_or_default();
    let scheme = if is_https { "https" } else { "http" };
    let is_ours = |origin: &str| origin.eq_ignore_ascii_case(&format!("{scheme}://{host}"));
    match (text("origin"), text("referer")) {
        // A form of a page that sends no referrer: the browser says by itself that it is ours, and no script can say so.
        (Some("null"), _) => site == Some("same-origin"),
        (Some(origin), _) => is_ours(origin),
        (None, Some(page)) => is_ours(origin_of(page)),
        (None, None) => *method != Method::POST,
    }
}

/// The scheme and host of an address.
fn origin_of(address: &str) -> &str {
    let host = address.find("://").map_or(0, |at| at + 3);
    address[host..].find(['/', '?', '#', '\\']).map_or(address, |end| &address[..host + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_named_hosts_are_ours_and_other_names_are_not() {
        let rules = HostRules::new(vec!["Notes.example".to_owned()]);
        let ours = ["127.0.0.1:80", "localhost", "LOCALHOST:9", "[::1]:1", "10.0.0.7", "notes.example:8"];
        let others = [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil",
            "",
            "[::1].evil",
            "2130706433",
            "a@127.0.0.1",
        ];
        assert!(ours.iter().all(|host| rules.knows(host)));
        for host in others {
            assert!(!rules.knows(host), "{host}");
        }
    }

    #[test]
    fn the_origin_of_a_page_ends_with_its_host() {
        for (page, origin) in [
            ("http://127.0.0.1:8/session/1?q=http://x/", "http://127.0.0.1:8"),
            ("http://127.0.0.1:8", "http://127.0.0.1:8"),
            ("http://127.0.0.1:8@evil.example/", "http://127.0.0.1:8@evil.example"),
            ("http://127.0.0.1:8\\@evil.example/", "http://127.0.0.1:8"),
            ("about:blank", "about:blank"),
            ("", ""),
        ] {
            assert_eq!(origin_of(page), origin);
        }
    }
}
