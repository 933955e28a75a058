//! Conversations for people: view models without a terminal, and the forms that they are drawn in.
//!
//! Pure: no files, terminal, environment or printing. A [`Conversation`] is built from a parsed transcript, and each
//! form writes it into a text.
//!
//! ```
//! use annals_transcript::transcript::Transcript;
//! use annals_ui::terminal::{self, RenderOptions};
//! use annals_ui::{Conversation, TerminalText, ViewOptions};
//!
//! let file = br#"{"type":"user","uuid":"a","message":{"content":"hello"}}"#;
//! let conversation = Conversation::build(&Transcript::parse(file), &[], ViewOptions::default());
//! let mut page = TerminalText::default();
//! terminal::draw(&conversation, &RenderOptions::plain(80), &mut page);
//! assert!(page.as_str().contains("hello"));
//! ```

pub mod chart;
pub mod chat;
mod clean;
pub mod figures;
pub mod grapheme;
pub mod highlight;
pub mod html;
pub mod markdown;
mod output_json;
pub mod terminal;
mod terminal_text;
pub mod view;

pub use clean::{one_line, reveal};
pub use output_json::escape_json;
pub use terminal_text::{Paint, TerminalText};
pub use view::{AgentThread, Conversation, ViewOptions};
