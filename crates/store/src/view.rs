//! Typed views over the objects of side files: nothing but an object's fields, with one method a known key.
//!
//! The same as the views of records in `annals-transcript`: every field optional, wrong types forgiven, nothing lost.

/// Declares views. Each line of the body is `method: Type = "key";` with its documentation.
macro_rules! views {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$method_doc:meta])* $method:ident: $kind:ty = $key:literal;)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<'a>(annals_transcript::json::Fields<'a>);

        impl<'a> $name<'a> {
            /// Reads the object as this.
            pub fn new(fields: annals_transcript::json::Fields<'a>) -> Self {
                Self(fields)
            }

            /// All its fields, in order, known or not.
            pub fn fields(&self) -> &annals_transcript::json::Fields<'a> {
                &self.0
            }

            $(
                $(#[$method_doc])*
                pub fn $method(&self) -> Option<$kind> {
                    self.0.get($key).and_then(<$kind as annals_transcript::view::FromValue>::from_value)
                }
            )*

            /// The keys that this view has a name for.
            pub const KNOWN_KEYS: &'static [&'static str] = &[$($key),*];
        }

        impl<'a> annals_transcript::view::FromValue<'a> for $name<'a> {
            fn from_value(value: annals_transcript::json::Value<'a>) -> Option<Self> {
                value.fields().map(Self)
            }
        }
    )*};
}
pub(crate) use views;
