//! The integration tests of `transcript`, in one binary: one module a subject.

mod corpus;
mod properties;
mod round_trip;
mod usage;
