//! Time and random numbers, passed in by the caller, so that tests decide both.
//!
//! Programs pass `SystemSource` (cargo feature `system`).

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

pub use annals_transcript::id::is_uuid;

use crate::digest::hex;

/// The current time, and a way to wait.
pub trait Clock {
    /// Returns milliseconds since 1970.
    fn now(&self) -> i64;

    /// Blocks for this many milliseconds.
    fn pause(&self, millis: u64);
}

/// A clock that also makes the random numbers for new ids.
pub trait Source: Clock + fmt::Debug + Send + Sync {
    /// Returns sixteen unpredictable bytes.
    fn random(&self) -> [u8; 16];
}

impl<S: Source + ?Sized> Clock for Arc<S> {
    fn now(&self) -> i64 {
        (**self).now()
    }

    fn pause(&self, millis: u64) {
        (**self).pause(millis);
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn random(&self) -> [u8; 16] {
        (**self).random()
    }
}

/// A source that is borrowed from the caller, or shared with other writers.
#[derive(Clone, Debug)]
pub(crate) enum SourceRef<'s> {
    Borrowed(&'s dyn Source),
    Shared(Arc<dyn Source>),
}

impl<'s> Deref for SourceRef<'s> {
    type Target = dyn Source + 's;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Borrowed(source) => *source,
            Self::Shared(source) => &**source,
        }
    }
}

/// Makes a random UUID (version 4) in its usual form.
pub fn new_uuid(source: &dyn Source) -> String {
    let mut bytes = source.random();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    uuid_text(bytes)
}

/// Formats sixteen bytes as a UUID.
pub fn uuid_text(bytes: [u8; 16]) -> String {
    let digits = hex(&bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// Makes the id of a sub-agent, in the form of recent releases.
pub fn new_agent_id(source: &dyn Source) -> String {
    format!("a{}", &hex(&source.random())[..16])
}

/// Makes the id of an API object, such as `msg_…` or `req_…`, for programs that have none.
pub fn new_api_id(prefix: &str, source: &dyn Source) -> String {
    format!("{prefix}_{}", &hex(&source.random())[..24])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> i64 {
            0
        }

        fn pause(&self, _: u64) {}
    }

    impl Source for Fixed {
        fn random(&self) -> [u8; 16] {
            [0xff; 16]
        }
    }

    #[test]
    fn ids_have_their_forms() {
        let uuid = new_uuid(&Fixed);
        assert_eq!(uuid, "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert!(is_uuid(&uuid) && !is_uuid("ffffffff-ffff-4fff-bfff-fffffffffff/") && !is_uuid("last"));
        assert_eq!(new_agent_id(&Fixed), "affffffffffffffff");
        assert_eq!(new_api_id("msg", &Fixed).len(), 28);
    }
}
