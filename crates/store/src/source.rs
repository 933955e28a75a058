//! Time and chance, handed in: a library asks for neither, and tests decide both.

use crate::digest::hex;

/// The time, and a way to let it pass.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> i64;

    /// Waits.
    fn pause(&self, millis: u64);
}

/// Where ids and times come from.
pub trait Source: Clock + std::fmt::Debug + Send + Sync {
    /// Sixteen bytes that nobody can foresee.
    fn random(&self) -> [u8; 16];
}

/// A random UUID (version 4) in its usual form.
pub fn new_uuid(source: &dyn Source) -> String {
    let mut bytes = source.random();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    uuid_text(bytes)
}

/// Sixteen bytes as a UUID is written.
pub fn uuid_text(bytes: [u8; 16]) -> String {
    let digits = hex(&bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// The id of a sub-agent, as recent releases make them.
pub fn new_agent_id(source: &dyn Source) -> String {
    format!("a{}", &hex(&source.random())[..16])
}

/// The id of an object of the API, such as `msg_…` or `req_…`, where a program brings none.
pub fn new_api_id(prefix: &str, source: &dyn Source) -> String {
    format!("{prefix}_{}", &hex(&source.random())[..24])
}

/// Whether a text is a UUID in its usual form.
pub fn is_uuid(text: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if dashes.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() })
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
