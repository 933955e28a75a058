//! Mentions in a prompt: `@path` and `@"a path"`, with a range of lines behind `#L`.

/// A path that a prompt mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The path as it was written.
    pub(crate) path: String,
    /// The first line and the last one, counted from 1.
    pub(crate) lines: Option<(u64, u64)>,
}

/// Returns the paths that a prompt mentions, each once. A mention begins the text or follows white space, so that addresses
/// of mail, code in backticks and brackets are none.
pub(crate) fn prompt_mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for (at, _) in text.match_indices('@') {
        let is_free = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        let rest = &text[at + 1..];
        let path = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map(|(path, _)| path),
            None => rest.split(char::is_whitespace).next().map(without_end),
        };
        let mention = path.filter(|path| is_free && is_path(path)).map(with_lines);
        found.extend(mention.filter(|mention| !found.contains(mention)));
    }
    found
}

fn is_path(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('@') && !path.contains(['\n', '\0'])
}

/// Removes signs that end a sentence.
fn without_end(path: &str) -> &str {
    path.trim_end_matches([',', ';', ':', '.', '!', '?', ')'])
}

/// Splits `#L2` and `#L2-5` from a path.
fn with_lines(path: &str) -> Mention {
    let range = |text: &str| -> Option<(u64, u64)> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (first.parse().ok()?, last.trim_start_matches('L').parse().ok()?);
        (1 <= first && first <= last).then_some((first, last))
    };
    let split = path.rsplit_once("#L").and_then(|(path, lines)| Some((path, range(lines)?)));
    match split {
        Some((path, lines)) => Mention { path: path.to_owned(), lines: Some(lines) },
        None => Mention { path: path.to_owned(), lines: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentioned(text: &str) -> Vec<String> {
        let words = |mention: Mention| match mention.lines {
            Some((first, last)) => format!("{} {first}-{last}", mention.path),
            None => mention.path,
        };
        prompt_mentions(text).into_iter().map(words).collect()
    }

    #[test]
    fn mentions_begin_a_word() {
        assert_eq!(mentioned("@a see @b.txt, and\n@c/d @b.txt."), ["a", "b.txt", "c/d"]);
        assert_eq!(mentioned("@\"my file.txt\" @\"open"), ["my file.txt"]);
        assert_eq!(
            mentioned("@a.rs#L2-5 @b.rs#L7 @c#d @e#L0 @f#L5-2"),
            ["a.rs 2-5", "b.rs 7-7", "c#d", "e#L0", "f#L5-2"]
        );
        for none in ["x@y.z (@a) `@a` @", "@@hello@@", "@ a", ""] {
            assert_eq!(mentioned(none), [""; 0], "{none:?}");
        }
    }
}
