//! Matchers: which tools, or other values of an event, a handler is told of.

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;

/// Which values of an event a handler wants.
#[derive(Clone, Debug)]
pub enum HookMatcher {
    All,
    /// These, exactly.
    Names(Vec<String>),
    /// Those in which the expression is found.
    Expression(RegexMatcher),
    /// None: the expression cannot be read.
    Invalid(String),
}

impl HookMatcher {
    /// Reads a matcher as the original does: letters, digits, `_`, `-`, commas, bars and spaces are a list of names;
    /// anything else is an expression, found anywhere.
    pub fn new(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default();
        if text.is_empty() || text == "*" {
            return Self::All;
        }
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-,| ".contains(letter);
        if text.chars().all(is_plain) {
            let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Self::Names(names.map(str::to_owned).collect());
        }
        match RegexMatcher::new(text) {
            Ok(expression) => Self::Expression(expression),
            Err(error) => Self::Invalid(error.to_string()),
        }
    }

    /// Returns whether a value is wanted.
    pub fn matches(&self, value: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|name| name == value),
            Self::Expression(expression) => expression.is_match(value.as_bytes()).unwrap_or(false),
            Self::Invalid(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_mean_what_they_mean_in_the_original() {
        let names = [
            "Bash",
            "Bash|Read",
            "Bash, Read",
            "Read | Bash",
            "Bash ",
            "Ba.*",
            "^Bash$",
            ".*ash",
            "B[a]sh",
            "*",
            "",
        ];
        for text in names {
            assert!(HookMatcher::new(Some(text)).matches("Bash"), "{text}");
        }
        for text in ["bash", "Ba", "ash", "Edit|Write", "mcp__x", "(", "Bash|*"] {
            assert!(!HookMatcher::new(Some(text)).matches("Bash"), "{text}");
        }
        assert!(HookMatcher::new(None).matches("anything"));
        assert!(matches!(HookMatcher::new(Some("(")), HookMatcher::Invalid(_)));
    }
}
