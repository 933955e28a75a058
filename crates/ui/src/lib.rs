//! Conversations for people: view models without a terminal, and the forms that they are drawn in.
//!
//! Pure: no files, terminal, environment or printing. A [`Conversation`] is built from a transcript that somebody else
//! has read, and each form writes it into a string that somebody else prints.
//!
//! ```
//! use annals_transcript::transcript::Transcript;
//! use annals_ui::terminal::{self, Look};
//! use annals_ui::{Conversation, Options};
//!
//! let file = br#"{"type":"user","uuid":"a","message":{"content":"hello"}}"#;
//! let conversation = Conversation::build(&Transcript::parse(file), &[], Options::default());
//! let mut page = String::new();
//! terminal::draw(&conversation, &Look::plain(80), &mut page);
//! assert!(page.contains("hello"));
//! ```

mod clean;
pub mod figures;
pub mod markdown;
pub mod terminal;
pub mod view;

pub use clean::clean as harmless;
pub use view::{AgentThread, Conversation, Options};
