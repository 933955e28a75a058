//! A stored session, played again: its prompts are said, its responses stream as if they came, its tools answer as they did.
//!
//! It is a conversation like any other to whoever draws or prints it, with [`Player`] in the place of a connection and
//! [`tools`] in the place of those that do something. Nothing is sent, nothing is executed; whoever opens the
//! conversation in memory writes nothing. To play a session: [`Recording::of`] it, and for each of its turns
//! [`Player::begin`] and a [`Command::Prompt`](crate::command::Command::Prompt) with its prompt.

mod player;
mod recorded;
mod stream;
mod tools;

pub use player::{Pace, Player};
pub use recorded::{Recording, Step, Turn};
pub use tools::tools;
