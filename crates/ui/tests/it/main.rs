//! The integration tests of `ui`, in one binary: one module per subject.

mod any_input;
mod corpus;
mod highlight;
mod html;
mod html_hostile;
mod live;
mod live_call;
mod markdown;
mod session;
mod snapshot;
mod stream;
mod terminal;
mod terminal_calls;
mod terminal_marks;
mod view;
mod windows;
