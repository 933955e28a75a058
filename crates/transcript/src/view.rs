//! Typed views: a struct that is nothing but an object's fields, with one method a known key.
//!
//! A view decodes nothing in advance, has every field optional, forgives wrong types, and still carries whatever it
//! has no name for, in [`fields`](annals_json::Fields).

use crate::id::{AgentId, MessageId, RecordId, RequestId, SessionId, ToolUseId};
use crate::time::Timestamp;
use annals_json::{Fields, Items, Kind, Text, Value};

/// What a key's value can be read as.
pub trait FromValue<'a>: Sized {
    /// Reads the value; `None` where it is of another kind.
    fn from_value(value: Value<'a>) -> Option<Self>;
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
    Fields<'a>: value => value.fields();
    Items<'a>: value => (value.kind() == Kind::Array).then(|| value.items());
    Timestamp<'a>: value => value.text().map(Timestamp::new);
    RecordId<'a>: value => value.text().map(RecordId::new);
    SessionId<'a>: value => value.text().map(SessionId::new);
    AgentId<'a>: value => value.text().map(AgentId::new);
    MessageId<'a>: value => value.text().map(MessageId::new);
    RequestId<'a>: value => value.text().map(RequestId::new);
    ToolUseId<'a>: value => value.text().map(ToolUseId::new);
}

/// Declares views. Each line of the body is `method: Type = "key";` with its documentation.
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
            /// Reads the object as this.
            pub fn new(fields: $crate::json::Fields<'a>) -> Self {
                Self(fields)
            }

            /// All its fields, in order, known or not.
            pub fn fields(&self) -> &$crate::json::Fields<'a> {
                &self.0
            }

            $(
                $(#[$method_doc])*
                pub fn $method(&self) -> Option<$kind> {
                    self.0.get($key).and_then(<$kind as $crate::view::FromValue>::from_value)
                }
            )*
        }

        impl<'a> $crate::view::FromValue<'a> for $name<'a> {
            fn from_value(value: $crate::json::Value<'a>) -> Option<Self> {
                value.fields().map(Self)
            }
        }

        impl $name<'_> {
            /// The keys that this view has a name for.
            pub const KNOWN_KEYS: &'static [&'static str] = &[$($key),*];
        }
    )*};
}
pub use views;
