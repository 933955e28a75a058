//! Rules about the headers of a request: API version and authentication.

use super::{Rule, Violation};

/// Returns the violations of these headers.
pub(in super::super) fn check(headers: &[(String, String)]) -> Vec<Violation> {
    let given = |name: &str| {
        headers.iter().any(|(key, value)| key.eq_ignore_ascii_case(name) && !value.trim().is_empty())
    };
    let mut found = Vec::new();
    if !given("x-api-key") && !given("authorization") {
        found.push(Violation::new(Rule::KeyHeader, "x-api-key", "header is required"));
    }
    if !given("anthropic-version") {
        found.push(Violation::new(Rule::VersionHeader, "anthropic-version", "header is required"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(headers: &[(&str, &str)]) -> Vec<&'static str> {
        let owned: Vec<_> = headers.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        check(&owned).iter().map(|violation| violation.rule.name()).collect()
    }

    #[test]
    fn a_version_and_a_key_are_needed() {
        assert_eq!(broken(&[("Anthropic-Version", "2023-06-01"), ("X-Api-Key", "k")]), [""; 0]);
        assert_eq!(broken(&[("anthropic-version", "2023-06-01"), ("authorization", "Bearer k")]), [""; 0]);
        assert_eq!(broken(&[("anthropic-version", "2023-06-01"), ("x-api-key", " ")]), ["key_header"]);
        assert_eq!(broken(&[]), ["key_header", "version_header"]);
    }
}
