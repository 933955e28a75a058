//! The rows of an answer.

use annals_json::Value;

/// An answer: one JSON object a line.
#[derive(Clone, Debug, Default)]
pub struct RowSet(Vec<u8>);

impl RowSet {
    pub(super) fn new(body: Vec<u8>) -> Self {
        Self(body)
    }

    /// Iterates over the rows.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.0.split(|byte| *byte == b'\n').filter_map(|line| Some(Row(Value::parse(line).ok()?)))
    }

    pub fn first(&self) -> Option<Row<'_>> {
        self.rows().next()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Row<'a>(Value<'a>);

impl<'a> Row<'a> {
    /// A column as JSON.
    pub fn value(&self, name: &str) -> Option<Value<'a>> {
        self.0.get(name)
    }

    /// All columns in their order.
    pub fn columns(&self) -> Vec<(String, Value<'a>)> {
        let fields = self.0.fields();
        let columns = fields.iter().flat_map(|fields| fields.iter());
        columns.map(|field| (field.key.decode().into_owned(), field.value)).collect()
    }

    /// A text; empty if the column is missing or null.
    pub fn text(&self, name: &str) -> String {
        self.text_or_null(name).unwrap_or_default()
    }

    /// A text, if it is not null.
    pub fn text_or_null(&self, name: &str) -> Option<String> {
        self.value(name).and_then(Value::text).map(|text| text.decode().into_owned())
    }

    /// A text that is not empty.
    pub fn text_if(&self, name: &str) -> Option<String> {
        self.text_or_null(name).filter(|text| !text.is_empty())
    }

    /// A whole number, if it is not null.
    pub fn integer(&self, name: &str) -> Option<i128> {
        let value = self.value(name)?;
        match value.text() {
            // Long numbers come as text.
            Some(text) => text.decode().parse().ok(),
            None => std::str::from_utf8(value.raw()).ok()?.parse().ok(),
        }
    }

    /// A count; 0 if the column is missing.
    pub fn count(&self, name: &str) -> u64 {
        self.integer(name).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    }

    /// A time, if it is not null.
    pub fn millis(&self, name: &str) -> Option<i64> {
        self.integer(name).and_then(|number| i64::try_from(number).ok())
    }

    /// A truth value.
    pub fn is_true(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value.boolean() == Some(true) || value.raw() == b"1")
    }
}
