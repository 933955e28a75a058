//! Heads of files that people write: keys between two lines of dashes, and below them the text.
//!
//! A head is read as the plain kind of YAML that people write there: a key and its words on one line, words that go on in
//! lines that are set in, lists in brackets or with dashes.

/// The keys of a head, each with its words, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head(Vec<(String, Vec<String>)>);

impl Head {
    /// The head, where there is one, and what stands below it; line breaks are plain in both.
    pub(crate) fn split(text: &str) -> (Option<Self>, String) {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        // An empty head has no line between its dashes.
        let inside = text.strip_prefix("---\n").and_then(|rest| match rest.strip_prefix("---") {
            Some(after) => Some(("", after)),
            None => rest.split_once("\n---"),
        });
        match inside {
            None => (None, text),
            Some((head, after)) => {
                let body = after.split_once('\n').map_or("", |(_, body)| body);
                (Some(Self::read(head)), body.to_owned())
            }
        }
    }

    fn read(head: &str) -> Self {
        let mut keys: Vec<(String, Vec<String>)> = Vec::new();
        for line in head.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let is_set_in = line.starts_with([' ', '\t', '-']);
            let value = match (is_set_in, line.split_once(':')) {
                (false, Some((key, value))) => {
                    keys.push((key.trim().to_owned(), Vec::new()));
                    // A mark for words that follow in the lines below.
                    Some(value.trim()).filter(|value| !matches!(*value, "|" | ">" | "|-" | ">-"))
                }
                _ => Some(line.trim().strip_prefix("- ").unwrap_or(line.trim())),
            };
            if let (Some((_, values)), Some(value)) =
                (keys.last_mut(), value.filter(|value| !value.is_empty()))
            {
                values.push(unquoted(value).to_owned());
            }
        }
        Self(keys)
    }

    /// What stands behind a key, line by line; none where there is no such key.
    pub(crate) fn values(&self, name: &str) -> Option<&[String]> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, values)| &values[..])
    }

    /// The words behind a key; none where there are none.
    pub(crate) fn words(&self, name: &str) -> Option<String> {
        self.values(name).map(|values| values.join(" ")).filter(|words| !words.is_empty())
    }
}

/// Without the marks around it.
pub(crate) fn unquoted(text: &str) -> &str {
    let inside = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_told_from_the_text() {
        let (head, body) = Head::split("\u{feff}---\r\na: x\r\nb:\r\n  - y\r\n---\r\ntext\r\n---\r\n");
        assert_eq!((head.unwrap().words("b").as_deref(), body.as_str()), (Some("y"), "text\n---\n"));
        assert_eq!(Head::split("---\n---\nx"), (Some(Head::default()), "x".to_owned()));
        for whole in ["text\n", "---\nno end\n", " ---\na: b\n---\n"] {
            assert_eq!(Head::split(whole), (None, whole.to_owned()));
        }
    }
}
