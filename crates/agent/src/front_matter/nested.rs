//! Values of front matter that have structure, as JSON: mappings, lists, quoted and plain scalars, block scalars, and the forms in
//! brackets. What is beyond that (anchors, tags, several documents) is an error, never a guess: it may be a guard.

use annals_json::RawJson;

use super::flow;

/// A line with its depth.
#[derive(Clone, Debug)]
struct Line {
    indent: usize,
    text: String,
}

/// Returns the value of a key at the top as JSON; `None` if there is no such key.
pub(super) fn json_of(front_matter: &str, key: &str) -> Option<Result<Vec<u8>, String>> {
    let lines: Vec<&str> = front_matter.lines().collect();
    let at = lines.iter().position(|line| key_of(line).is_some_and(|(name, _)| name == key))?;
    let is_own = |line: &&&str| {
        let text = line.trim_start();
        text.is_empty()
            || text.starts_with('#')
            || text.len() < line.len()
            || text.starts_with(['-', '}', ']'])
    };
    let own = 1 + lines[at + 1..].iter().take_while(is_own).count();
    let block = lines[at..at + own].iter().map(|line| {
        let text = line.trim_start_matches(' ');
        if text.starts_with('\t') {
            return Err("it is indented with tabs".to_owned());
        }
        Ok(Line { indent: line.len() - text.len(), text: text.trim_end().to_owned() })
    });
    let read = block.collect::<Result<Vec<_>, _>>().and_then(|lines| {
        let mut reader = NestedReader { lines, at: 0 };
        let (_, rest) = key_of(&reader.lines[0].text).unwrap_or_default();
        reader.at = 1;
        reader.value(0, &rest)
    });
    Some(read)
}

/// Splits a line into a key and what follows its colon.
fn key_of(line: &str) -> Option<(String, String)> {
    if line.starts_with(['-', '#', ' ', '\t']) {
        return None;
    }
    let (key, rest) = match line.strip_prefix(['"', '\'']) {
        Some(quoted) => {
            let (key, rest) = quoted.split_at(quote_end(quoted, line.as_bytes()[0])?);
            let rest = rest[1..].strip_prefix(':')?;
            (key, Some(rest).filter(|rest| rest.is_empty() || rest.starts_with(' '))?)
        }
        None => match line.split_once(": ") {
            Some((key, rest)) => (key, rest),
            None => (line.strip_suffix(':')?, ""),
        },
    };
    let rest = rest.trim();
    let rest = if rest.starts_with('#') { "" } else { rest };
    Some((key.trim().to_owned(), rest.to_owned()))
}

/// Returns where a quoted text ends that begins behind its first mark: a mark may be escaped, or doubled.
fn quote_end(text: &str, mark: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if mark == b'"' => at += 2,
            found if found == mark && mark == b'\'' && bytes.get(at + 1) == Some(&mark) => at += 2,
            found if found == mark => return Some(at),
            _ => at += 1,
        }
    }
    None
}

struct NestedReader {
    lines: Vec<Line>,
    at: usize,
}

impl NestedReader {
    /// Returns the next line that says something.
    fn next(&mut self) -> Option<Line> {
        while self.lines.get(self.at).is_some_and(|line| line.text.is_empty() || line.text.starts_with('#')) {
            self.at += 1;
        }
        self.lines.get(self.at).cloned()
    }

    /// Reads what follows a colon or a dash on a line of this depth, and the lines below it.
    fn value(&mut self, indent: usize, rest: &str) -> Result<Vec<u8>, String> {
        match rest {
            "" => match self.next() {
                Some(line) if line.indent > indent => self.block(line.indent),
                // A list may be as deep as its key.
                Some(line) if line.indent == indent && is_item(&line.text) => self.list(indent),
                _ => Ok(b"null".to_vec()),
            },
            "|" | "|-" | "|+" | ">" | ">-" | ">+" => Ok(self.text_block(indent, rest)),
            _ => {
                let mut text = rest.to_owned();
                // A value goes on below as long as its brackets are open, or its lines are deeper.
                while let Some(line) = self.lines.get(self.at) {
                    let is_open = flow::is_open(&text);
                    if !is_open
                        && (line.indent <= indent || line.text.is_empty() || line.text.starts_with('#'))
                    {
                        break;
                    }
                    text = format!("{text} {}", line.text);
                    self.at += 1;
                }
                flow::read(&text)
            }
        }
    }

    fn block(&mut self, indent: usize) -> Result<Vec<u8>, String> {
        match self.next() {
            Some(line) if is_item(&line.text) => self.list(indent),
            Some(line) if key_of(&line.text).is_some() => self.mapping(indent),
            Some(line) => {
                self.at += 1;
                self.value(indent.saturating_sub(1), &line.text)
            }
            None => Ok(b"null".to_vec()),
        }
    }

    fn mapping(&mut self, indent: usize) -> Result<Vec<u8>, String> {
        let mut entries = Vec::new();
        while let Some(line) = self.next().filter(|line| line.indent >= indent) {
            let entry = key_of(&line.text).filter(|_| line.indent == indent);
            let (key, rest) = entry.ok_or_else(|| format!("a line cannot be read: {}", line.text))?;
            self.at += 1;
            entries.push((key, self.value(indent, &rest)?));
        }
        Ok(flow::object_of(&entries))
    }

    fn list(&mut self, indent: usize) -> Result<Vec<u8>, String> {
        let mut items = Vec::new();
        while let Some(line) = self.next().filter(|line| line.indent == indent && is_item(&line.text)) {
            let rest = line.text[1..].trim_start().to_owned();
            if key_of(&rest).is_some() && !rest.starts_with(['{', '[']) {
                // The first key of a mapping stands beside the dash.
                let inner = indent + line.text.len() - rest.len();
                self.lines[self.at] = Line { indent: inner, text: rest };
                items.push(self.mapping(inner)?);
            } else {
                self.at += 1;
                items.push(self.value(indent, &rest)?);
            }
        }
        if self.next().is_some_and(|line| line.indent > indent) {
            return Err("a list cannot be read".to_owned());
        }
        Ok(flow::list_of(&items))
    }

    /// Reads a text of several lines.
    fn text_block(&mut self, indent: usize, mark: &str) -> Vec<u8> {
        let (mut lines, mut depth) = (Vec::new(), None);
        while let Some(line) =
            self.lines.get(self.at).filter(|line| line.text.is_empty() || line.indent > indent)
        {
            let first = *depth.get_or_insert(line.indent);
            let deeper = line.indent.saturating_sub(first);
            lines.push(format!("{}{}", " ".repeat(deeper), line.text));
            self.at += 1;
        }
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        let text = lines.join(if mark.starts_with('|') { "\n" } else { " " });
        let end = if mark.ends_with('-') { "" } else { "\n" };
        RawJson::string(&format!("{text}{end}")).raw().to_vec()
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match json_of(text, "hooks") {
            Some(Ok(json)) => String::from_utf8_lossy(&json).into_owned(),
            Some(Err(why)) => format!("error: {why}"),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn hooks_become_json() {
        let text = "name: a\nhooks:\n  PreToolUse:\n    - matcher: \"Bash|Read\" # two\n      hooks:\n        - type: command\n          command: ./check.sh --all\n          timeout: 5\n          once: true\n  # later\n  Stop:\n  - hooks:\n    - {type: command, command: 'it''s'}\nmodel: haiku\n";
        assert_eq!(
            read(text),
            r#"{"PreToolUse":[{"matcher":"Bash|Read","hooks":[{"type":"command","command":"./check.sh --all","timeout":5,"once":true}]}],"Stop":[{"hooks":[{"type":"command","command":"it's"}]}]}"#
        );
        let block = "hooks:\n  Stop:\n    - hooks:\n        - command: |\n            if x; then\n              y # no comment\n            fi\n          type: command\n";
        assert_eq!(
            read(block),
            r#"{"Stop":[{"hooks":[{"command":"if x; then\n  y # no comment\nfi\n","type":"command"}]}]}"#
        );
        let json = "hooks: {\"Stop\": [\n  {\"hooks\": []}\n]}\nname: a";
        assert_eq!(read(json), r#"{"Stop":[{"hooks":[]}]}"#);
        // Quotes inside of a text end no key.
        assert_eq!(read("hooks:\n  - \"\\\":\"\n  - 'it'': x'\n"), r#"["\":","it': x"]"#);
        for (text, expected) in
            [("name: a", "none"), ("hooks:\nname: a", "null"), ("hooks: {}", "{}"), ("\"hooks\": ~", "null")]
        {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_beyond_it_is_an_error() {
        for text in [
            "hooks:\n\tStop: x",
            "hooks:\n  Stop: &a x",
            "hooks:\n  Stop: !x y",
            "hooks:\n  Stop: [a, b",
            "hooks:\n  Stop: \"open",
            "hooks:\n  Stop:\n    - a\n      b: c\n   d: e",
            "hooks:\n  Stop: x\n   - y: z\n  nothing",
        ] {
            assert!(read(text).starts_with("error"), "{text}: {}", read(text));
        }
    }
}
