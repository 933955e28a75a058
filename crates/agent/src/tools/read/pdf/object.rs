//! PDF values, with numbers and strings as they are written.

/// A value. Generation numbers are ignored: the newest object counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Null,
    /// A number, string or boolean, as it is written.
    Plain(Vec<u8>),
    /// A name without its slash, unescaped.
    Name(Vec<u8>),
    Array(Vec<Object>),
    Dict(Dict),
    /// A reference by object number.
    Reference(u32),
}

/// A dictionary in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dict(pub(super) Vec<(Vec<u8>, Object)>);

impl Dict {
    pub(super) fn get(&self, key: &str) -> Option<&Object> {
        self.0.iter().find(|(name, _)| name == key.as_bytes()).map(|(_, value)| value)
    }

    /// Whether the value is this name.
    pub(super) fn says(&self, key: &str, word: &str) -> bool {
        self.get(key).is_some_and(|value| value.is_name(word))
    }

    pub(super) fn number(&self, key: &str) -> Option<usize> {
        self.get(key)?.number()
    }
}

impl Object {
    pub(super) fn is_name(&self, word: &str) -> bool {
        matches!(self, Self::Name(name) if name == word.as_bytes())
    }

    /// A whole number that is not negative.
    pub(super) fn number(&self) -> Option<usize> {
        let Self::Plain(bytes) = self else { return None };
        std::str::from_utf8(bytes).ok()?.parse().ok()
    }

    /// Any number.
    pub(super) fn real(&self) -> Option<f64> {
        let Self::Plain(bytes) = self else { return None };
        std::str::from_utf8(bytes).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    pub(super) fn dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// The approximate cost of a copy, in bytes.
    pub(super) fn weight(&self) -> usize {
        let within: usize = match self {
            Self::Plain(bytes) | Self::Name(bytes) => bytes.len(),
            Self::Array(items) => items.iter().map(Self::weight).sum(),
            Self::Dict(dict) => dict.0.iter().map(|(key, value)| key.len() + 32 + value.weight()).sum(),
            Self::Null | Self::Reference(_) => 0,
        };
        within + 32
    }

    /// The bytes of a string.
    pub(super) fn string(&self) -> Option<Vec<u8>> {
        match self {
            Self::Plain(bytes) => match bytes.as_slice() {
                [b'(', inner @ .., b')'] => Some(literal(inner)),
                [b'<', inner @ .., b'>'] => Some(hex(inner)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Decodes hex; a single last digit is followed by 0.
pub(super) fn hex(digits: &[u8]) -> Vec<u8> {
    let nibbles: Vec<_> = digits.iter().filter_map(|digit| char::from(*digit).to_digit(16)).collect();
    nibbles.chunks(2).map(|two| (two[0] << 4 | two.get(1).copied().unwrap_or(0)) as u8).collect()
}

fn literal(inner: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let [escaped, after @ ..] = rest else { break };
        rest = after;
        match escaped {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\r' => rest = rest.strip_prefix(b"\n").unwrap_or(rest),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(escaped - b'0');
                for _ in 0..2 {
                    let [digit @ b'0'..=b'7', after @ ..] = rest else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    rest = after;
                }
                out.push(code as u8);
            }
            other => out.push(*other),
        }
    }
    out
}

/// Writes a value; `number` maps references.
pub(super) fn write(
    out: &mut Vec<u8>,
    object: &Object,
    number: &mut impl FnMut(u32) -> Option<u32>,
    leave_out: &impl Fn(&Dict) -> &'static [&'static str],
) {
    match object {
        Object::Null => out.extend_from_slice(b"null"),
        Object::Plain(bytes) => out.extend_from_slice(bytes),
        Object::Name(name) => write_name(out, name),
        Object::Array(items) => {
            out.push(b'[');
            for item in items {
                write(out, item, number, leave_out);
                out.push(b' ');
            }
            out.push(b']');
        }
        Object::Dict(dict) => {
            out.extend_from_slice(b"<<");
            let left_out = leave_out(dict);
            for (key, value) in &dict.0 {
                if !left_out.iter().any(|word| word.as_bytes() == key) {
                    write_name(out, key);
                    out.push(b' ');
                    write(out, value, number, leave_out);
                }
            }
            out.extend_from_slice(b">>");
        }
        Object::Reference(old) => match number(*old) {
            Some(new) => out.extend_from_slice(format!("{new} 0 R").as_bytes()),
            None => out.extend_from_slice(b"null"),
        },
    }
}

fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        match byte {
            b'!'..=b'~' if !b"#/%()<>[]{}".contains(byte) => out.push(*byte),
            _ => out.extend_from_slice(format!("#{byte:02X}").as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_what_they_are_written_for() {
        let string = |text: &str| Object::Plain(text.as_bytes().to_vec()).string();
        assert_eq!(string(r"(a\)\\\n\101\7z)").unwrap(), b"a)\\\nA\x07z");
        assert_eq!(string("(a\\\r\nb\\\nc)").unwrap(), b"abc");
        assert_eq!(string("<48 65 6C6c6>").unwrap(), b"Hell`");
        assert_eq!(string("12"), None);
    }

    #[test]
    fn names_are_escaped_again() {
        let mut out = Vec::new();
        write_name(&mut out, b"A B#\xff");
        assert_eq!(out, b"/A#20B#23#FF");
    }
}
