//! Scalars and the forms in brackets: `[a, b]`, `{a: b}`, quoted and plain texts.

use annals_json::{ArrayWriter, ObjectWriter, RawJson, Value, compact};

/// The deepest nesting of brackets.
const MAX_DEPTH: usize = 32;

/// Writes a JSON object.
pub(super) fn object_of(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut json = Vec::new();
    let mut object = ObjectWriter::begin(&mut json);
    for (key, value) in entries {
        object.raw(key, value);
    }
    object.end();
    json
}

/// Writes a JSON array.
pub(super) fn list_of(items: &[Vec<u8>]) -> Vec<u8> {
    let mut json = Vec::new();
    let mut list = ArrayWriter::begin(&mut json);
    items.iter().for_each(|item| list.item().extend_from_slice(item));
    list.end();
    json
}

/// Returns whether a bracket or a quote of a text is still open.
pub(super) fn is_open(text: &str) -> bool {
    let (mut depth, mut quote, mut is_escaped) = (0_i32, None, false);
    let starts = text.starts_with(['[', '{', '"', '\'']);
    for letter in text.chars().filter(|_| starts) {
        match (quote, letter) {
            (Some('"'), '\\') if !is_escaped => {
                is_escaped = true;
                continue;
            }
            (Some(mark), _) if mark == letter && !is_escaped => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => {}
        }
        is_escaped = false;
    }
    depth > 0 || quote.is_some()
}

/// Reads a value as JSON.
pub(super) fn read(text: &str) -> Result<Vec<u8>, String> {
    let text = text.trim();
    if !text.starts_with(['[', '{', '"', '\'']) {
        return plain(text.split(" #").next().unwrap_or_default().trim());
    }
    if let Ok(value) = Value::parse(text.as_bytes()) {
        let mut json = Vec::new();
        compact(value, &mut json);
        return Ok(json);
    }
    let mut reader = FlowReader { rest: text };
    let json = reader.value(0)?;
    let rest = reader.rest.trim();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(json)
    } else {
        Err(format!("what follows cannot be read: {rest}"))
    }
}

/// Returns a scalar without quotes.
fn plain(text: &str) -> Result<Vec<u8>, String> {
    if text.starts_with(['&', '!', '%', '@', '`']) {
        return Err(format!("it cannot be read: {text}"));
    }
    let literal = match text {
        "~" | "null" | "Null" | "NULL" | "" => Some("null"),
        "true" | "True" | "TRUE" => Some("true"),
        "false" | "False" | "FALSE" => Some("false"),
        _ => None,
    };
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        && Value::parse(text.as_bytes()).is_ok_and(|value| value.number().is_some());
    Ok(match literal {
        Some(literal) => literal.as_bytes().to_vec(),
        None if is_number => text.as_bytes().to_vec(),
        None => RawJson::string(text).raw().to_vec(),
    })
}

struct FlowReader<'t> {
    rest: &'t str,
}

impl FlowReader<'_> {
    fn value(&mut self, depth: usize) -> Result<Vec<u8>, String> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().ok_or("it ends unexpectedly")?;
        match first {
            _ if depth > MAX_DEPTH => Err("it is nested too deeply".to_owned()),
            '[' => {
                let mut items = Vec::new();
                self.entries(']', |reader| {
                    items.push(reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(list_of(&items))
            }
            '{' => {
                let mut entries = Vec::new();
                self.entries('}', |reader| {
                    let key = reader.word(&[':'])?;
                    reader.rest = reader.rest.trim_start().strip_prefix(':').ok_or("a colon is missing")?;
                    entries.push((key, reader.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(object_of(&entries))
            }
            '"' | '\'' => Ok(RawJson::string(&self.word(&[])?).raw().to_vec()),
            _ => plain(&self.word(&[',', ']', '}'])?),
        }
    }

    /// Reads entries that are separated by commas, up to a bracket.
    fn entries(
        &mut self,
        end: char,
        mut entry: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        self.rest = &self.rest[1..];
        loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix(end) {
                self.rest = rest;
                return Ok(());
            }
            entry(self)?;
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest,
                None if self.rest.starts_with(end) => {}
                None => return Err(format!("{end:?} is missing")),
            }
        }
    }

    /// Reads a text: a quoted one, or one up to one of these characters.
    fn word(&mut self, ends: &[char]) -> Result<String, String> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('\'') => {
                let mut text = String::new();
                self.rest = &self.rest[1..];
                loop {
                    let (before, after) = self.rest.split_once('\'').ok_or("a quote is open")?;
                    text.push_str(before);
                    self.rest = after;
                    match after.strip_prefix('\'') {
                        Some(after) => {
                            text.push('\'');
                            self.rest = after;
                        }
                        None => return Ok(text),
                    }
                }
            }
            Some('"') => {
                let end = self.rest[1..].char_indices().scan(false, |is_escaped, (at, letter)| {
                    let is_end = letter == '"' && !*is_escaped;
                    *is_escaped = letter == '\\' && !*is_escaped;
                    Some((at, is_end))
                });
                let end = end.filter(|(_, is_end)| *is_end).map(|(at, _)| at + 2).next();
                let (quoted, rest) = self.rest.split_at(end.ok_or("a quote is open")?);
                self.rest = rest;
                let value =
                    Value::parse(quoted.as_bytes()).map_err(|_| format!("it cannot be read: {quoted}"))?;
                Ok(value.text().map(|text| text.to_string()).unwrap_or_default())
            }
            _ => {
                let end = self.rest.find(ends).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                Ok(word.trim().to_owned())
            }
        }
    }
}
