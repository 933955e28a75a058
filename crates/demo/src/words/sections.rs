//! The format of the data files: named sections of text.
//!
//! `[name]` on a line of its own begins a section. A section holds lines (in which `\n` and `\t` are escapes and `# ` begins a
//! comment), words between commas, or pieces of several lines divided by `----`.

use std::collections::BTreeMap;

/// The sections of a file, by name.
pub(super) struct Sections(BTreeMap<&'static str, &'static str>);

impl Sections {
    pub(super) fn parse(text: &'static str) -> Self {
        let mut sections = BTreeMap::new();
        let (mut open, mut start, mut at) = (None, 0, 0);
        for line in text.split_inclusive('\n') {
            if let Some(next) = name(line) {
                open.replace(next).map(|name| sections.insert(name, &text[start..at]));
                start = at + line.len();
            }
            at += line.len();
        }
        open.map(|name| sections.insert(name, &text[start..]));
        Self(sections)
    }

    fn text(&self, name: &str) -> &'static str {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// The only line of a section, as it is written.
    pub(super) fn line(&self, name: &str) -> &'static str {
        self.text(name).trim_end()
    }

    pub(super) fn lines(&self, name: &str) -> Vec<&'static str> {
        let is_content = |line: &&str| !line.is_empty() && !line.starts_with("# ");
        self.text(name).lines().filter(is_content).map(unescape).collect()
    }

    /// Lines of the form `first :: second`.
    pub(super) fn pairs(&self, name: &str) -> Vec<(&'static str, &'static str)> {
        self.lines(name).into_iter().filter_map(|line| line.split_once(" :: ")).collect()
    }

    pub(super) fn words(&self, name: &str) -> Vec<&'static str> {
        let words = self.lines(name).into_iter().flat_map(|line| line.split(','));
        words.map(str::trim).filter(|word| !word.is_empty()).collect()
    }

    /// Pieces of several lines, each with its last line break.
    pub(super) fn pieces(&self, name: &str) -> Vec<&'static str> {
        let pieces = self.text(name).trim_end().split("\n----\n");
        pieces.map(|piece| -> &'static str { format!("{piece}\n").leak() }).collect()
    }
}

fn name(line: &str) -> Option<&str> {
    let name = line.trim_end().strip_prefix('[')?.strip_suffix(']')?;
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-').then_some(name)
}

fn unescape(line: &'static str) -> &'static str {
    if line.contains('\\') { line.replace("\\n", "\n").replace("\\t", "\t").leak() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_hold_lines_words_pairs_and_pieces() {
        let sections = Sections::parse(
            "# About\n[a]\none\\n\n# no\n\n[b-c]\nx, y z,\nw\n[d]\np\n\nq\n----\nr\n[e]\nf :: g\n",
        );
        assert_eq!(sections.lines("a"), ["one\n"]);
        assert_eq!(sections.words("b-c"), ["x", "y z", "w"]);
        assert_eq!(sections.pieces("d"), ["p\n\nq\n", "r\n"]);
        assert_eq!(sections.pairs("e"), [("f", "g")]);
        assert!(sections.lines("none").is_empty());
    }
}
