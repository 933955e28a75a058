//! The Messages API: a request's bytes, a stream of events back, and what to do when something goes wrong between.
//!
//! | module | owns |
//! |---|---|
//! | `sse` | bytes ⇄ events, wherever they are cut |
//! | `stream` | events → blocks, usage, the reason of the end |
//! | `usage`, `model` | what was counted; what a model can do |
//! | `request` | parts → the bytes of a body, the same ones for the same conversation |
//! | `failure`, `retry` | what went wrong; whether and when to try again: pure |
//! | `transport`, `client` | how a body gets to the API; the one over HTTP |
//! | `call` | one logical request: tries, and what is kept of a stream that broke |
//!
//! It writes no records and runs no tools. The clock, chance and every setting are handed in.

pub mod call;
pub mod client;
pub mod failure;
pub mod model;
pub mod request;
pub mod retry;
pub mod sse;
pub mod stream;
pub mod transport;
pub mod usage;
