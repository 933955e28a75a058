//! Replays a stored session: its prompts, its responses as streams, its tool results.
//!
//! It is a normal conversation with [`Player`] as its transport and [`tools`] as its tools. Nothing is sent or executed, and
//! a conversation in memory writes nothing. To replay a session, make a [`Recording::of`] it, and for each turn call
//! [`Player::begin`] and send a [`Command::Prompt`](crate::protocol::Command::Prompt) with its prompt.

mod player;
mod recording;
mod stream;
mod tools;

pub use player::{Pace, Player};
pub use recording::{RecordedResponse, RecordedTurn, Recording};
pub use tools::tools;
