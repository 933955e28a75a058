//! The integration tests of `transcript`, in one binary: one module a subject.

mod round_trip;
