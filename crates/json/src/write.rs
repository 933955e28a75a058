//! Writes compact JSON as `JSON.stringify` would, keys in the order of the calls.

/// Appends `text` as a JSON string, quoted, with the escapes that `JSON.stringify` uses.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut clean = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let short = match byte {
            b'"' => b'"',
            b'\\' => b'\\',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0c => b'f',
            0x00..=0x1f => b'u',
            _ => continue,
        };
        out.extend_from_slice(&bytes[clean..at]);
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            out.extend_from_slice(format!("{byte:04x}").as_bytes());
        }
        clean = at + 1;
    }
    out.extend_from_slice(&bytes[clean..]);
    out.push(b'"');
}

/// Writes one object; the closing brace comes with [`ObjectWriter::end`].
#[derive(Debug)]
pub struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> ObjectWriter<'o> {
    /// Opens an object at the end of `out`.
    pub fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Writes a key and returns the buffer; the caller appends exactly one value.
    pub fn key(&mut self, key: &str) -> &mut Vec<u8> {
        self.next();
        write_string(self.out, key);
        self.out.push(b':');
        self.out
    }

    /// Like [`key`](Self::key), for a key that is a JSON string already, with quotes and escapes.
    pub fn raw_key(&mut self, key: &[u8]) -> &mut Vec<u8> {
        self.next();
        self.out.extend_from_slice(key);
        self.out.push(b':');
        self.out
    }

    fn next(&mut self) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
    }

    /// Writes a string field.
    pub fn string(&mut self, key: &str, value: &str) -> &mut Self {
        write_string(self.key(key), value);
        self
    }

    /// Writes a string field, or `null`.
    pub fn string_or_null(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.string(key, value),
            None => self.raw(key, b"null"),
        }
    }

    /// Writes a string field if there is a value.
    pub fn string_if(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.string(key, value);
        }
        self
    }

    /// Writes a whole number.
    pub fn number(&mut self, key: &str, value: impl Into<i128>) -> &mut Self {
        let digits = value.into().to_string();
        self.key(key).extend_from_slice(digits.as_bytes());
        self
    }

    /// Writes a floating-point number; infinities and NaN become `null`, as in JavaScript.
    pub fn float(&mut self, key: &str, value: f64) -> &mut Self {
        let text = if value.is_finite() { value.to_string() } else { "null".to_owned() };
        self.key(key).extend_from_slice(text.as_bytes());
        self
    }

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, if value { b"true" } else { b"false" })
    }

    /// Writes a value that is JSON already.
    pub fn raw(&mut self, key: &str, json: &[u8]) -> &mut Self {
        self.key(key).extend_from_slice(json);
        self
    }

    /// Writes a nested object; `fill` writes its fields.
    pub fn object(&mut self, key: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> &mut Self {
        let mut inner = ObjectWriter::begin(self.key(key));
        fill(&mut inner);
        inner.end();
        self
    }

    /// Writes a nested array; `fill` writes its items.
    pub fn array(&mut self, key: &str, fill: impl FnOnce(&mut ArrayWriter<'_>)) -> &mut Self {
        let mut inner = ArrayWriter::begin(self.key(key));
        fill(&mut inner);
        inner.end();
        self
    }

    /// Closes the object.
    pub fn end(self) {
        self.out.push(b'}');
    }
}

/// Writes one array; the closing bracket comes with [`ArrayWriter::end`].
#[derive(Debug)]
pub struct ArrayWriter<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> ArrayWriter<'o> {
    /// Opens an array at the end of `out`.
    pub fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'[');
        Self { out, empty: true }
    }

    /// Starts an item and returns the buffer; the caller appends exactly one value.
    pub fn item(&mut self) -> &mut Vec<u8> {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out
    }

    /// Writes a string item.
    pub fn string(&mut self, value: &str) -> &mut Self {
        write_string(self.item(), value);
        self
    }

    /// Writes an object item; `fill` writes its fields.
    pub fn object(&mut self, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> &mut Self {
        let mut inner = ObjectWriter::begin(self.item());
        fill(&mut inner);
        inner.end();
        self
    }

    /// Closes the array.
    pub fn end(self) {
        self.out.push(b']');
    }
}

/// Writes one object; `fill` writes its fields.
pub fn object(fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    fill(&mut object);
    object.end();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_javascript_would() {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.string("a", "\"\\\n\u{1}ü").number("n", 3_u64).float("f", 0.5).boolean("b", true);
        object.string_or_null("none", None).string_if("absent", None);
        object.array("list", |list| {
            list.string("x").object(|o| {
                o.raw("raw", b"[1]");
            });
        });
        object.object("empty", |_| {});
        object.end();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            r#"{"a":"\"\\\n\u0001ü","n":3,"f":0.5,"b":true,"none":null,"list":["x",{"raw":[1]}],"empty":{}}"#
        );
    }
}
