//! JSON as bytes: a scanner that checks, values that are spans, fields in their order, and a writer.
//!
//! A value here is a slice of the file and nothing is decoded before somebody asks for it, so that key order, number
//! forms, unknown fields, lone surrogate escapes and even invalid UTF-8 survive. This crate knows nothing of sessions.

mod compact;
pub mod edit;
mod fields;
mod owned;
mod scan;
mod text;
mod value;
mod write;

pub use compact::compact;
pub use fields::{Field, Fields};
pub use owned::RawJson;
pub use scan::{Fault, FaultKind, scan_value, skip_space};
pub use text::Text;
pub use value::{Items, Kind, Value};
pub use write::{ArrayWriter, ObjectWriter, object, write_string};

/// The UTF-8 byte order mark that some editors put at the start of a file.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
