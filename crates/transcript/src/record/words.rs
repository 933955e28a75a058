//! Enums for string fields, with a variant for an absent field and one for unknown values.

/// Declares such an enum, with `NAMED`, `of` and `name`.
macro_rules! word_kinds {
    (
        $(#[$doc:meta])*
        $enum:ident, without: $(#[$absent_doc:meta])* $absent:ident = $absent_name:literal;
        $($(#[$variant_doc:meta])* $name:ident = $word:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $enum {
            $($(#[$variant_doc])* $name,)*
            $(#[$absent_doc])*
            $absent,
            /// An unknown value.
            Unknown,
        }

        impl $enum {
            /// The kinds that have a name.
            pub const NAMED: &[Self] = &[$(Self::$name),*];

            /// Returns the kind of a field value.
            pub fn of(word: Option<$crate::json::Text<'_>>) -> Self {
                match word.map($crate::json::Text::raw) {
                    None => Self::$absent,
                    $(Some(raw) if raw == $word.as_bytes() => Self::$name,)*
                    Some(_) => Self::Unknown,
                }
            }

            /// Returns the word that stands in the file.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                    Self::$absent => $absent_name,
                    Self::Unknown => "unknown",
                }
            }
        }
    };
}
pub(crate) use word_kinds;

#[cfg(test)]
mod tests {
    use crate::record::{AttachmentKind, ProgressKind, SystemKind};
    use annals_json::Value;

    #[test]
    fn words_name_kinds_and_others_are_let_be() {
        let quoted = |word: &str| format!("\"{word}\"");
        for &kind in SystemKind::NAMED {
            assert_eq!(SystemKind::of(Value::parse(quoted(kind.name()).as_bytes()).unwrap().text()), kind);
        }
        assert_eq!(SystemKind::of(None), SystemKind::Plain);
        assert_eq!(AttachmentKind::of(None), AttachmentKind::Untyped);
        let new = quoted("from_the_future");
        assert_eq!(ProgressKind::of(Value::parse(new.as_bytes()).unwrap().text()), ProgressKind::Unknown);
    }
}
