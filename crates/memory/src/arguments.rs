//! The arguments of a call.

use annals_json::{RawJson, Value, ValueKind};

use crate::error::ToolError;
use crate::page::{DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS};

/// The arguments of a call. What a model leaves out or sets to null is absent.
pub(crate) struct Arguments(RawJson);

impl Arguments {
    pub(crate) fn new(value: Option<Value<'_>>) -> Result<Self, ToolError> {
        match value.filter(|value| !value.is_null()) {
            None => Ok(Self(RawJson::from_checked(b"{}".to_vec()))),
            Some(value) if value.kind() == ValueKind::Object => Ok(Self(RawJson::of(value))),
            Some(_) => Err(ToolError::Argument("the arguments are not an object".to_owned())),
        }
    }

    fn get(&self, key: &str) -> Option<Value<'_>> {
        self.0.value().get(key).filter(|value| !value.is_null())
    }

    /// A text that is not empty. Models write numbers where a text is wanted.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, ToolError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let text = match (value.text(), value.kind()) {
            (Some(text), _) => text.to_string(),
            (None, ValueKind::Number) => String::from_utf8_lossy(value.raw()).into_owned(),
            _ => return Err(ToolError::Argument(format!("{key} is not a string"))),
        };
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    pub(crate) fn required(&self, key: &str) -> Result<String, ToolError> {
        self.text(key)?.ok_or_else(|| ToolError::Argument(format!("{key} is missing")))
    }

    /// A whole number; a text that is one counts too.
    pub(crate) fn number(&self, key: &str) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let of_text = || value.text().and_then(|text| text.decode().trim().parse().ok());
        let number = value.count().or_else(of_text);
        number.map(Some).ok_or_else(|| ToolError::Argument(format!("{key} is not a whole number")))
    }

    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| {
            value.boolean() == Some(true) || value.text().is_some_and(|text| text.is("true"))
        })
    }

    /// The budget of the result, in tokens.
    pub(crate) fn max_tokens(&self) -> Result<usize, ToolError> {
        let wanted = self.number("max_tokens")?.unwrap_or(DEFAULT_TOKENS as u64);
        Ok(usize::try_from(wanted).unwrap_or(MAX_TOKENS).clamp(MIN_TOKENS, MAX_TOKENS))
    }

    /// How many results a cursor skips.
    pub(crate) fn skipped(&self) -> Result<usize, ToolError> {
        let Some(cursor) = self.text("cursor")? else { return Ok(0) };
        cursor.parse().map_err(|_| ToolError::Argument(format!("{cursor:?} is not a cursor of this tool")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(json: &str) -> Arguments {
        Arguments::new(Some(Value::parse(json.as_bytes()).unwrap())).unwrap()
    }

    #[test]
    fn numbers_and_texts_are_taken_for_each_other() {
        let given = arguments(r#"{"line":12,"limit":"7","query":"  ","session":null,"all":"true"}"#);
        assert_eq!(given.text("line").unwrap().as_deref(), Some("12"));
        assert_eq!(given.number("limit").unwrap(), Some(7));
        assert_eq!(given.text("query").unwrap(), None);
        assert!(given.required("session").is_err());
        assert!(given.is_set("all"));
        assert!(arguments(r#"{"limit":"x"}"#).number("limit").is_err());
    }

    #[test]
    fn budgets_have_bounds() {
        assert_eq!(arguments("{}").max_tokens().unwrap(), DEFAULT_TOKENS);
        assert_eq!(arguments(r#"{"max_tokens":1}"#).max_tokens().unwrap(), MIN_TOKENS);
        assert_eq!(arguments(r#"{"max_tokens":99999999}"#).max_tokens().unwrap(), MAX_TOKENS);
    }
}
