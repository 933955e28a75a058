//! Tests of the viewer: what is drawn, what keys do, how much is laid out, and what hostile text cannot do.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod chat;
mod chat_earlier;
mod chat_fixture;
mod chat_folding;
mod chat_frames;
mod chat_hostile;
mod chat_keys;
mod chat_pictures;
mod chat_prompt;
mod chat_transcript;
mod corpus;
mod document;
mod documented;
mod editor;
mod fixture;
mod hostile;
mod keys;
mod paged;
mod snapshots;
mod visible;
