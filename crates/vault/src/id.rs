//! Content ids: half of a sha256 for a chunk, all of it for a content.

use std::fmt;

use annals_store::digest::{hex, sha256_bytes};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident: $length:literal),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; $length]);

        impl $name {
            /// The id of these bytes.
            pub fn of(bytes: &[u8]) -> Self {
                Self::of_digest(&sha256_bytes(bytes))
            }

            /// The id that a finished sha256 gives.
            pub(crate) fn of_digest(digest: &[u8; 32]) -> Self {
                let mut bytes = [0; $length];
                bytes.copy_from_slice(&digest[..$length]);
                Self(bytes)
            }

            /// Parses hex digits of the right length.
            pub fn parse(text: &str) -> Option<Self> {
                let digits = text.as_bytes();
                if digits.len() != 2 * $length {
                    return None;
                }
                let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
                let mut bytes = [0; $length];
                for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
                    *byte = value(pair[0])? << 4 | value(pair[1])?;
                }
                Some(Self(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&hex(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({self})", stringify!($name))
            }
        }
    )*};
}

ids! {
    /// The id of a chunk as it is stored.
    ChunkId: 16,
    /// The id of all bytes of a file.
    ContentId: 32,
    /// The checksum of a block: enough to notice damage, too short for an id.
    Check: 8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let id = ChunkId::of(b"abc");
        assert_eq!(id.to_string(), "ba7816bf8f01cfea414140de5dae2223");
        assert_eq!(ChunkId::parse(&id.to_string()), Some(id));
        assert_eq!(ContentId::parse(&id.to_string()), None);
        assert_eq!(ChunkId::parse("zz7816bf8f01cfea414140de5dae2223"), None);
        assert_eq!(ChunkId::parse("é".repeat(16).as_str()), None);
    }
}
