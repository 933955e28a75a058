//! Bytes of a session file ⇄ records ⇄ meaning.
//!
//! Pure: no files, clock, environment, threads or async. Reading never fails on content: every function gives a value,
//! and what was irregular on the way is a list of [`Problem`](problem::Problem)s with their byte spans.

pub mod activity;
pub mod agents;
pub mod content;
pub mod draft;
pub mod graph;
pub mod id;
pub mod inspect;
pub mod line;
pub mod loss;
mod mark;
pub mod message;
pub mod objects;
pub mod pack;
pub mod pairing;
pub mod price;
pub mod problem;
pub mod query;
pub mod record;
pub mod redact;
pub mod response;
pub mod resume;
pub mod time;
pub mod title;
pub mod tool_result;
pub mod transcript;
pub mod turn;
pub mod usage;
pub mod view;

pub use annals_json as json;
