//! A small JSON reader, independent of the project's own so that they share no bugs.

/// Any value; numbers as JavaScript has them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A field of an object, the last one of its name.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Json::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn number(&self, key: &str) -> u64 {
        match self.get(key) {
            Some(Json::Number(number)) => *number as u64,
            _ => 0,
        }
    }

    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.get(key) == Some(&Json::Bool(true))
    }

    pub(crate) fn items(&self, key: &str) -> &[Json] {
        match self.get(key) {
            Some(Json::List(items)) => items,
            _ => &[],
        }
    }

    pub(crate) fn keys(&self) -> Vec<&str> {
        match self {
            Json::Object(fields) => fields.iter().map(|(name, _)| name.as_str()).collect(),
            _ => Vec::new(),
        }
    }
}

/// The value at the start of `bytes` and what follows it.
pub(crate) fn parse(bytes: &[u8]) -> Option<(Json, &[u8])> {
    let bytes = bytes.trim_ascii_start();
    match *bytes.first()? {
        b'{' => collect(&bytes[1..], b'}', |at| {
            let (key, rest) = string(at.trim_ascii_start())?;
            let (value, rest) = parse(rest.trim_ascii_start().strip_prefix(b":")?)?;
            Some(((key, value), rest))
        })
        .map(|(fields, rest)| (Json::Object(fields), rest)),
        b'[' => collect(&bytes[1..], b']', parse).map(|(items, rest)| (Json::List(items), rest)),
        b'"' => string(bytes).map(|(text, rest)| (Json::Text(text), rest)),
        b't' => Some((Json::Bool(true), bytes.strip_prefix(b"true")?)),
        b'f' => Some((Json::Bool(false), bytes.strip_prefix(b"false")?)),
        b'n' => Some((Json::Null, bytes.strip_prefix(b"null")?)),
        _ => {
            let end = bytes.iter().position(|b| !b"+-.eE0123456789".contains(b)).unwrap_or(bytes.len());
            let number = std::str::from_utf8(&bytes[..end]).ok()?.parse().ok()?;
            Some((Json::Number(number), &bytes[end..]))
        }
    }
}

fn collect<T>(
    mut bytes: &[u8],
    close: u8,
    item: impl Fn(&[u8]) -> Option<(T, &[u8])>,
) -> Option<(Vec<T>, &[u8])> {
    let mut items = Vec::new();
    loop {
        bytes = bytes.trim_ascii_start();
        if let Some(rest) = bytes.strip_prefix(&[close]) {
            return Some((items, rest));
        }
        if !items.is_empty() {
            bytes = bytes.strip_prefix(b",")?;
        }
        let (one, rest) = item(bytes)?;
        items.push(one);
        bytes = rest;
    }
}

fn string(bytes: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = bytes.strip_prefix(b"\"")?;
    let mut out = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((String::from_utf8_lossy(&out).into_owned(), rest)),
            b'\\' => {
                let (&escape, after) = rest.split_first()?;
                rest = after;
                match escape {
                    b'n' => out.push(b'\n'),
                    b't' => out.push(b'\t'),
                    b'r' => out.push(b'\r'),
                    b'u' => {
                        let code = u32::from_str_radix(std::str::from_utf8(rest.get(..4)?).ok()?, 16).ok()?;
                        let letter = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                        rest = &rest[4..];
                    }
                    other => out.push(other),
                }
            }
            other => out.push(other),
        }
    }
}
