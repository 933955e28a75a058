//! The interactive conversation in a terminal: printed lines, and the input box below them.
//!
//! Nothing here reads a terminal or a clock, or prints: keys and times come in, and [`Screen`] collects the output for the
//! caller to write.

mod editor;
mod input_box;
mod key;
mod print;
mod screen;
mod status;

pub use editor::{EditOutcome, Editor};
pub use input_box::input_box;
pub use key::Key;
pub use screen::{Footer, Screen, TermCaps};
pub use status::WorkStatus;
