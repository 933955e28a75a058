//! Front matter of Markdown files: keys between two lines of dashes, and the body below.
//!
//! It reads the subset of YAML that people write there: a key and its value on one line, indented continuation lines, lists
//! in brackets or with dashes. Values with more structure become JSON (`nested`, `flow`).

mod flow;
mod nested;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests;

/// The keys of a front matter, each with its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    keys: Vec<(String, Vec<String>)>,
    /// The whole of it, as it is written.
    text: String,
}

impl FrontMatter {
    /// Splits a file into front matter, if any, and body; line ends become `
    /// `.
    pub(crate) fn split(text: &str) -> (Option<Self>, String) {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        // An empty front matter has no line between its dashes.
        let inside = text.strip_prefix("---\n").and_then(|rest| match rest.strip_prefix("---") {
            Some(after) => Some(("", after)),
            None => rest.split_once("\n---"),
        });
        match inside {
            None => (None, text),
            Some((front_matter, after)) => {
                let body = after.split_once('\n').map_or("", |(_, body)| body);
                (Some(Self::read(front_matter)), body.to_owned())
            }
        }
    }

    fn read(front_matter: &str) -> Self {
        let mut keys: Vec<(String, Vec<String>)> = Vec::new();
        for line in front_matter.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let is_set_in = line.starts_with([' ', '\t', '-']);
            let value = match (is_set_in, line.split_once(':')) {
                (false, Some((key, value))) => {
                    keys.push((key.trim().to_owned(), Vec::new()));
                    // A marker for a block value in the lines below.
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
        Self { keys, text: front_matter.to_owned() }
    }

    /// Returns the lines of a key; `None` if the key is absent.
    pub(crate) fn values(&self, name: &str) -> Option<&[String]> {
        self.keys.iter().find(|(key, _)| key == name).map(|(_, values)| &values[..])
    }

    /// Returns the value of a key that has structure, as JSON; `None` if it is absent or empty, an error if it cannot be read.
    pub(crate) fn json(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let value = nested::json_of(&self.text, name).transpose();
        let value = value.map_err(|why| format!("`{name}` of its front matter cannot be read: {why}"))?;
        Ok(value.filter(|json| !matches!(&json[..], b"null" | b"{}" | b"[]")))
    }

    /// Returns the value of a key as one line; `None` if it is absent or empty.
    pub(crate) fn words(&self, name: &str) -> Option<String> {
        self.values(name).map(|values| values.join(" ")).filter(|words| !words.is_empty())
    }
}

/// Removes quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    let inside = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}
