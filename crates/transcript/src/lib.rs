//! Bytes of a session file ⇄ records ⇄ meaning; pure: no files, clock, environment, threads or async.
//!
#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | to | see |
//! |---|---|
//! | split bytes into lines and records | [`mod@line`], [`mod@record_lines`], [`objects`], [`transcript`], [`record`], [`content`], [`tool_result`] |
//! | follow the conversation | [`graph`], [`turn`], [`response`], [`pairing`], [`agents`], [`query`], [`message`] |
//! | know what a client would send | [`mod@resume`], [`loss`] |
//! | count tokens and cost | [`usage`], [`price`], [`activity`] |
//! | find what is wrong | [`problem`], [`inspect`] |
//! | write records | [`draft`] |
//! | remove secrets | [`redact`] |

#![warn(missing_docs)]

pub mod activity;
pub mod agents;
pub mod content;
pub mod draft;
#[doc(hidden)]
pub mod drift;
mod file_parts;
pub mod graph;
pub mod id;
mod id_hash;
pub mod inspect;
pub mod line;
pub mod loss;
pub mod message;
mod node_index;
pub mod objects;
#[doc(hidden)]
pub mod pack;
pub mod pairing;
mod parse;
pub mod price;
pub mod problem;
pub mod query;
pub mod record;
pub mod record_lines;
pub mod redact;
pub mod response;
pub mod resume;
pub mod time;
pub mod title;
pub mod tool_result;
pub mod transcript;
mod transcript_buf;
pub mod turn;
pub mod usage;
#[doc(hidden)]
pub mod view;
mod white_space;
#[doc(hidden)]
pub mod work;

pub use content::{Block, Content};
pub use draft::Draft;
pub use file_parts::FilePart;
pub use graph::Graph;
pub use message::{Message, messages};
pub use price::{Prices, Usd};
pub use problem::{Problem, ProblemKind, Severity, Span};
pub use record::{Record, RecordKind};
pub use resume::{Client, resume};
pub use transcript::{Node, NodeIndex, Transcript};
pub use transcript_buf::TranscriptBuf;
pub use turn::{Turn, turns};

pub use annals_json as json;
