//! Values of a question.

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// For `{name:String}`.
    Text(String),
    /// For `{name:Int64}`.
    Integer(i64),
    /// For `{name:Array(String)}`.
    Texts(Vec<String>),
}

impl Parameter {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// As the engine reads it beside a statement.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Text(text) => escaped(text),
            Self::Integer(number) => number.to_string(),
            Self::Texts(texts) => {
                let quoted = texts.iter().map(|text| format!("'{}'", escaped(text)));
                format!("[{}]", quoted.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// As the engine reads it in a statement.
    pub(super) fn to_literal(&self) -> String {
        match self {
            Self::Text(_) => format!("'{}'", self.to_text()),
            // A list of nothing has no type by itself.
            Self::Texts(texts) if texts.is_empty() => "CAST([] AS Array(String))".to_owned(),
            Self::Integer(_) | Self::Texts(_) => self.to_text(),
        }
    }
}

/// Escapes a text for a parameter or a literal.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            other => out.push(other),
        }
    }
    out
}
