//! Typed views: structs over the fields of an object, with one method per known key.
//!
//! A view decodes nothing in advance; every field is optional, a wrong type reads as absent, and unknown keys are in
//! [`fields`](annals_json::Fields). Not part of the public API.

use crate::id::{AgentId, MessageId, RecordId, RequestId, SessionId, ToolUseId};
use crate::time::Timestamp;
use annals_json::{Fields, Items, Text, Value, ValueKind};

/// A type that a value can be read as.
pub trait FromValue<'a>: Sized {
    /// Reads the value; `None` if it is of another kind.
    fn from_value(value: Value<'a>) -> Option<Self>;

    /// Reads the value of a key.
    fn from_field(fields: &Fields<'a>, key: &str) -> Option<Self> {
        fields.get(key).and_then(Self::from_value)
    }
}

macro_rules! from_value {
    ($($kind:ty: $value:ident => $read:expr;)*) => {$(
        impl<'a> FromValue<'a> for $kind {
            fn from_value($value: Value<'a>) -> Option<Self> {
                $read
            }
        }
    )*};
}

from_value! {
    Value<'a>: value => Some(value);
    Text<'a>: value => value.text();
    bool: value => value.boolean();
    u64: value => value.count();
    f64: value => value.number();
    Timestamp<'a>: value => value.text().map(Timestamp::new);
    RecordId<'a>: value => value.text().map(RecordId::new);
    SessionId<'a>: value => value.text().map(SessionId::new);
    AgentId<'a>: value => value.text().map(AgentId::new);
    MessageId<'a>: value => value.text().map(MessageId::new);
    RequestId<'a>: value => value.text().map(RequestId::new);
    ToolUseId<'a>: value => value.text().map(ToolUseId::new);
}

impl<'a> FromValue<'a> for Fields<'a> {
    fn from_value(value: Value<'a>) -> Option<Self> {
        value.fields()
    }

    fn from_field(fields: &Fields<'a>, key: &str) -> Option<Self> {
        fields.object(key)
    }
}

impl<'a> FromValue<'a> for Items<'a> {
    fn from_value(value: Value<'a>) -> Option<Self> {
        (value.kind() == ValueKind::Array).then(|| value.items())
    }

    fn from_field(fields: &Fields<'a>, key: &str) -> Option<Self> {
        fields.items(key)
    }
}

/// Declares views. Each line of the body is `method: Type = "key";`; its documentation ends with the key, and may say more.
#[macro_export]
macro_rules! views {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$method_doc:meta])* $method:ident: $kind:ty = $key:literal;)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<'a>($crate::json::Fields<'a>);

        impl<'a> $name<'a> {
            /// Wraps the fields of an object.
            pub fn new(fields: $crate::json::Fields<'a>) -> Self {
                Self(fields)
            }

            /// All its fields, in order, known or not.
            pub fn fields(&self) -> &$crate::json::Fields<'a> {
                &self.0
            }

            $(
                $(#[$method_doc])*
                #[doc = ""]
                #[doc = concat!("Reads the field `", $key, "`.")]
                pub fn $method(&self) -> Option<$kind> {
                    <$kind as $crate::view::FromValue>::from_field(&self.0, $key)
                }
            )*
        }

        impl<'a> $crate::view::FromValue<'a> for $name<'a> {
            fn from_value(value: $crate::json::Value<'a>) -> Option<Self> {
                value.fields().map(Self)
            }

            fn from_field(fields: &$crate::json::Fields<'a>, key: &str) -> Option<Self> {
                fields.object(key).map(Self)
            }
        }

        impl $name<'_> {
            /// The keys that this view knows.
            pub const KNOWN_KEYS: &'static [&'static str] = &[$($key),*];
        }
    )*};
}
pub use views;
