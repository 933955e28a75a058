//! Conversations for people: view models without a terminal, and the forms that they are drawn in.
//!
//! Pure: no files, terminal, environment or printing. A [`Conversation`] is built from a parsed transcript, and each
//! form writes it into a string.
//!
//! ```
//! use annals_transcript::transcript::Transcript;
//! use annals_ui::terminal::{self, RenderOptions};
//! use annals_ui::{Conversation, ViewOptions};
//!
//! let file = br#"{"type":"user","uuid":"a","message":{"content":"hello"}}"#;
//! let conversation = Conversation::build(&Transcript::parse(file), &[], ViewOptions::default());
//! let mut page = String::new();
//! terminal::draw(&conversation, &RenderOptions::plain(80), &mut page);
//! assert!(page.contains("hello"));
//! ```

pub mod chat;
mod clean;
pub mod figures;
pub mod markdown;
pub mod terminal;
pub mod view;

pub use clean::clean as harmless;
pub use view::{AgentThread, Conversation, ViewOptions};
