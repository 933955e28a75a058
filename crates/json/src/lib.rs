//! JSON as spans of the bytes it was read from; knows nothing of sessions.
//!
#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod compact;
pub mod edit;
mod fields;
mod known;
mod nesting;
mod owned;
pub mod rpc;
mod scan;
mod shorten;
mod strings;
mod text;
mod value;
mod write;

pub use compact::compact;
pub use fields::{Field, Fields};
pub use known::KnownSpans;
pub use nesting::Nesting;
pub use owned::RawJson;
pub use scan::{ParseError, ParseErrorKind, ValueScanner, scan_value, skip_space};
pub use shorten::shorten_strings;
pub use strings::{MAX_WALK_DEPTH, NestedString, strings};
pub use text::Text;
pub use value::{Items, Value, ValueKind};
pub use write::{ArrayWriter, ObjectWriter, object, write_string};

/// The UTF-8 byte order mark that some editors put at the start of a file.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
