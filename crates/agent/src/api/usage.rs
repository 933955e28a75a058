//! Token usage as the API sends it: the newest value of each field.

use annals_json::{Fields, ObjectWriter, RawJson};

/// The usage of one response. A stream sends it several times; the counts are totals, so the last one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// In order of first appearance.
    fields: Vec<(String, RawJson)>,
}

impl Usage {
    /// Overwrites fields with newer values; `null` is ignored.
    pub fn overwrite(&mut self, told: &Fields<'_>) {
        for field in told.iter() {
            let key = field.key.decode();
            let known = self.fields.iter_mut().find(|(name, _)| *name == *key);
            match known {
                Some(_) if field.value.is_null() => {}
                Some((_, value)) => *value = RawJson::of(field.value),
                None => self.fields.push((key.into_owned(), RawJson::of(field.value))),
            }
        }
    }

    /// Returns a count by its name, or 0.
    pub fn count(&self, name: &str) -> u64 {
        let told = self.fields.iter().find(|(key, _)| key == name);
        told.and_then(|(_, value)| value.value().count()).unwrap_or(0)
    }

    /// Returns the tokens of the request in the context window. Cache reads and writes are not part of
    /// `input_tokens`.
    pub fn context(&self) -> u64 {
        let parts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        parts.iter().fold(0, |sum: u64, part| sum.saturating_add(self.count(part)))
    }

    /// Returns the tokens that the model wrote.
    pub fn output(&self) -> u64 {
        self.count("output_tokens")
    }

    /// Returns whether no usage was sent.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the usage as a JSON object.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        for (key, value) in &self.fields {
            object.raw(key, value.raw());
        }
        object.end();
        out
    }
}

#[cfg(test)]
mod tests {
    use annals_json::Value;

    use super::*;

    #[test]
    fn the_last_count_holds_and_null_says_nothing() {
        let mut usage = Usage::default();
        for told in [
            r#"{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation":{"a": 1},"output_tokens":1,"tier":null}"#,
            r#"{"output_tokens":40,"input_tokens":null,"cache_creation_input_tokens":7}"#,
            r#"{"output_tokens":41,"tier":"standard"}"#,
        ] {
            usage.overwrite(&Value::parse(told.as_bytes()).unwrap().fields().unwrap());
        }
        assert_eq!((usage.context(), usage.output(), usage.count("none")), (110, 41, 0));
        assert_eq!(
            String::from_utf8(usage.to_json()).unwrap(),
            r#"{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation":{"a":1},"output_tokens":41,"tier":"standard","cache_creation_input_tokens":7}"#
        );
        assert!(Usage::default().is_empty() && Usage::default().to_json() == b"{}");
    }
}
