//! Reads the input of a call key by key. Missing or mistyped values are reported to the model in one sentence.

use annals_json::{Fields, Value, ValueKind};

use super::InputError;

/// The input of a call. Numbers and booleans may be quoted: models do that.
pub(crate) struct Input<'i> {
    fields: Fields<'i>,
}

impl<'i> Input<'i> {
    /// Reads the whole object.
    pub(crate) fn scan(bytes: &'i [u8]) -> Result<Self, InputError> {
        let value = Value::parse(bytes)
            .map_err(|fault| InputError(format!("The input is not JSON: error at byte {}.", fault.at)))?;
        let fields = value.fields().ok_or_else(|| InputError("The input is not an object.".to_owned()))?;
        Ok(Self { fields })
    }

    /// The same for fields that were parsed already.
    pub(crate) fn of(fields: &Fields<'i>) -> Self {
        Self { fields: fields.clone() }
    }

    /// A value that is there and not null.
    pub(crate) fn value(&self, key: &str) -> Option<Value<'i>> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// A required text.
    pub(crate) fn text(&self, key: &str) -> Result<String, InputError> {
        self.text_if(key)?.ok_or_else(|| InputError(format!("The parameter `{key}` is missing.")))
    }

    /// A required text that is not blank.
    pub(crate) fn words(&self, key: &str) -> Result<String, InputError> {
        let text = self.text(key)?;
        if text.trim().is_empty() {
            return Err(InputError(format!("The parameter `{key}` is empty.")));
        }
        Ok(text)
    }

    /// An optional text.
    pub(crate) fn text_if(&self, key: &str) -> Result<Option<String>, InputError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        match value.text() {
            Some(text) => Ok(Some(text.decode().into_owned())),
            None => Err(InputError(format!("The parameter `{key}` must be a string."))),
        }
    }

    /// An optional whole number.
    pub(crate) fn count_if(&self, key: &str) -> Result<Option<u64>, InputError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let quoted = || value.text().and_then(|text| text.decode().trim().parse().ok());
        let whole = || value.number().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number));
        let count = value.count().or_else(|| whole().map(|number| number as u64)).or_else(quoted);
        match count {
            Some(count) => Ok(Some(count)),
            None => Err(InputError(format!("The parameter `{key}` must be a non-negative integer."))),
        }
    }

    /// An optional boolean; false if absent.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, InputError> {
        let Some(value) = self.value(key) else { return Ok(false) };
        let quoted = |word: &str| value.text().is_some_and(|text| text.is(word));
        match value.boolean() {
            Some(flag) => Ok(flag),
            None if quoted("true") => Ok(true),
            None if quoted("false") => Ok(false),
            None => Err(InputError(format!("The parameter `{key}` must be true or false."))),
        }
    }

    /// A required list.
    pub(crate) fn list(&self, key: &str) -> Result<Vec<Value<'i>>, InputError> {
        match self.value(key) {
            Some(value) if value.kind() == ValueKind::Array => Ok(value.items().collect()),
            Some(_) => Err(InputError(format!("The parameter `{key}` must be a list."))),
            None => Err(InputError(format!("The parameter `{key}` is missing."))),
        }
    }

    /// An optional list of texts; empty if absent.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, InputError> {
        if self.value(key).is_none() {
            return Ok(Vec::new());
        }
        let wrong = || InputError(format!("The parameter `{key}` must be a list of strings."));
        let text = |value: Value<'_>| value.text().map(|text| text.decode().into_owned()).ok_or_else(wrong);
        self.list(key)?.into_iter().map(text).collect()
    }
}
