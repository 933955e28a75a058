//! The sessions of a team in ClickHouse. Lines arrive redacted, from `annals collect`; everything else is made from them by the
//! code of the local index, so that both give the same answers.
//!
//! From the bottom up: [`address`] and [`wire`] speak to the engine; [`schema`] holds its tables, `shards` says where they are, and [`rights`] who may read them;
//! [`rows`] turns items into rows; [`sink`] delivers them, [`receive`] for machines that have a token ([`access`]); [`query`] asks,
//! and [`rebuild`] makes rows again. [`views`] are what people ask by statements of their own.

pub mod access;
pub mod address;
pub mod query;
pub mod rebuild;
pub mod receive;
pub mod rights;
pub mod rows;
pub mod schema;
mod shards;
pub mod sink;
pub mod views;
pub mod wire;

pub use address::{AddressError, EngineAddress};
pub use receive::Receiver;
pub use shards::DEFAULT_PATIENCE;
pub use sink::TeamSink;
pub use wire::{Engine, EngineError, Login};
