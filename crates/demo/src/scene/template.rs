//! What the lines of a scene consist of: words, numbers, and fields of JSON objects.

use annals_json::{ObjectWriter, Value};

use crate::transcript::ExtraField;

/// Fields of an object, each with its JSON value.
pub(super) type Fields = Vec<(String, Vec<u8>)>;

/// Splits off the first word.
pub(super) fn word(text: &'static str) -> (&'static str, &'static str) {
    text.split_once(' ').unwrap_or((text, ""))
}

pub(super) fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

pub(super) fn fields(value: Value<'_>) -> Fields {
    let all = value.fields();
    let all = all.iter().flat_map(|fields| fields.iter());
    all.map(|field| (field.key.decode().into_owned(), field.value.raw().to_vec())).collect()
}

pub(super) fn raw<'f>(fields: &'f Fields, key: &str) -> Option<&'f [u8]> {
    fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_slice())
}

pub(super) fn string(fields: &Fields, key: &str) -> Option<String> {
    Value::parse(raw(fields, key)?).ok()?.text().map(|text| text.decode().into_owned())
}

pub(super) fn inner(of: &Fields, key: &str) -> Fields {
    raw(of, key).and_then(|value| Value::parse(value).ok()).map(fields).unwrap_or_default()
}

pub(super) fn borrowed(fields: &Fields) -> Vec<ExtraField<'_>> {
    fields.iter().map(|(key, value)| (key.as_str(), value.as_slice())).collect()
}

/// Writes fields into an object; those that begin with `@` are not for the file.
pub(super) fn write(o: &mut ObjectWriter<'_>, fields: &[(String, Vec<u8>)]) {
    for (key, value) in fields.iter().filter(|(key, _)| !key.starts_with('@')) {
        o.raw(key, value);
    }
}
