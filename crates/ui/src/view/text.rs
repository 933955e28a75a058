//! Small help with text: openings, tags, paths.

use annals_json::{Value, ValueKind};

/// The first words, on one line.
pub(crate) fn opening(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        for character in word.chars() {
            if count >= limit {
                line.push('…');
                return line;
            }
            line.push(character);
            count += 1;
        }
    }
    line
}

/// Returns the text between `<name>` and `</name>`.
pub(crate) fn tag<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    let (inside, _) = after.split_once(&format!("</{name}>"))?;
    Some(inside.trim())
}

/// Removes tags of these names, and keeps the text between them.
pub(crate) fn without_tags(text: &str, names: &[&str]) -> String {
    let mut plain = text.to_owned();
    for name in names {
        plain = plain.replace(&format!("<{name}>"), "").replace(&format!("</{name}>"), "");
    }
    plain.trim().to_owned()
}

/// A path as seen from the working directory.
pub(crate) fn relative(path: &str, cwd: Option<&str>) -> String {
    let inside = cwd.and_then(|cwd| path.strip_prefix(cwd)).and_then(|rest| rest.strip_prefix(['/', '\\']));
    inside.filter(|rest| !rest.is_empty()).unwrap_or(path).to_owned()
}

/// A value as text: a string without quotes, anything else as JSON.
pub(crate) fn value_text(value: Value<'_>) -> String {
    match (value.kind(), value.text()) {
        (ValueKind::String, Some(text)) => text.into_string(),
        _ => String::from_utf8_lossy(value.raw()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_tags_and_paths() {
        assert_eq!(opening("  one\ntwo   three ", 20), "one two three");
        assert_eq!(opening("one two three", 6), "one tw…");
        assert_eq!(tag("x<a>in</a>", "a"), Some("in"));
        assert_eq!(without_tags("<a>in</a> out", &["a"]), "in out");
        assert_eq!(relative("/w/src/a.rs", Some("/w")), "src/a.rs");
        assert_eq!(relative("/wood/a.rs", Some("/w")), "/wood/a.rs");
        assert_eq!(relative("/w", Some("/w")), "/w");
    }
}
