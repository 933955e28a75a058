//! A 16-byte key that identifies a response, instead of its ids.

use std::borrow::Cow;
use std::hash::{BuildHasherDefault, Hasher};

use crate::id::MessageId;
use crate::pack::{Pack, Packer, Unpacker};
use crate::record::AssistantMessage;
use annals_json::{Fields, Text};

/// Identifies one API response over the whole store.
///
/// It is a 128-bit FNV-1a hash of the ids, so that a ledger of a million responses holds no strings. The hash is the
/// same on every machine and in every run. Two of a billion different responses share a key with a chance below
/// one in 10²⁰; the ids come from the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResponseKey(u128);

/// The hasher of maps by response: a key is a hash already, and hashing it again would cost as much as everything else.
pub(super) type KeyHashing = BuildHasherDefault<KeyHasher>;

/// Uses a key as its own hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write_u128(&mut self, key: u128) {
        self.0 = (key >> 64) as u64 ^ key as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The source of a key; part of the hash, so that a uuid never equals a message id.
#[derive(Clone, Copy)]
enum KeySource {
    MessageAndRequest = 1,
    Message = 2,
    LineId = 3,
    Bytes = 4,
}

impl ResponseKey {
    /// Makes the key of a response from the ids of the API.
    pub fn new(message: &str, request: Option<&str>) -> Self {
        match request {
            Some(request) => {
                Self::hash(KeySource::MessageAndRequest, &[message.as_bytes(), request.as_bytes()])
            }
            None => Self::hash(KeySource::Message, &[message.as_bytes()]),
        }
    }

    /// Makes the key of the response of a record.
    ///
    /// From message id and request id; else the message id alone; else the uuid of the record; else its bytes, so that copies
    /// still count once.
    pub fn of(line: &Fields<'_>, message: &AssistantMessage<'_>) -> Self {
        match non_empty(message.id().map(MessageId::text)) {
            Some(message) => Self::new(&message, non_empty(line.text("requestId")).as_deref()),
            None => match non_empty(line.text("uuid")) {
                Some(uuid) => Self::hash(KeySource::LineId, &[uuid.as_bytes()]),
                None => Self::hash(KeySource::Bytes, &[line.raw()]),
            },
        }
    }

    /// Converts to bytes, for storage.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Converts from stored bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    fn hash(source: KeySource, parts: &[&[u8]]) -> Self {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let mut hash = OFFSET;
        let mut take = |byte: u8| hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        take(source as u8);
        for part in parts {
            // The length first: `ab` + `c` is not `a` + `bc`.
            (part.len() as u64).to_le_bytes().into_iter().for_each(&mut take);
            part.iter().copied().for_each(&mut take);
        }
        Self(hash)
    }
}

impl Pack for ResponseKey {
    fn pack(&self, packer: &mut Packer) {
        packer.raw(&self.to_bytes());
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self::from_bytes(unpacker.raw(16)?.try_into().ok()?))
    }
}

/// Decodes a text; `None` if it is empty.
fn non_empty(text: Option<Text<'_>>) -> Option<Cow<'_, str>> {
    text.filter(|text| !text.is_empty()).map(Text::decode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> ResponseKey {
        let (fields, _) = Fields::scan(line.as_bytes()).unwrap();
        ResponseKey::of(&fields, &AssistantMessage::new(fields.object("message").unwrap()))
    }

    #[test]
    fn ids_make_the_key_and_nothing_else_does() {
        let split = of(r#"{"uuid":"a","requestId":"r","message":{"id":"m","content":[1]}}"#);
        assert_eq!(split, of(r#"{"uuid":"b","requestId":"r","message":{"id":"\u006d","content":[2]}}"#));
        assert_eq!(split, ResponseKey::new("m", Some("r")));
        let others = [
            ResponseKey::new("m", None),
            ResponseKey::new("m", Some("s")),
            ResponseKey::new("mr", Some("")),
            ResponseKey::new("", Some("mr")),
            of(r#"{"uuid":"m","message":{}}"#),
            of(r#"{"message":{"id":""}}"#),
            of(r#"{"message":{"id":"","content":1}}"#),
        ];
        for (at, key) in others.iter().enumerate() {
            assert_ne!(*key, split);
            assert!(!others[..at].contains(key), "{at}");
        }
        assert_eq!(of(r#"{"requestId":null,"message":{"id":"m"}}"#), ResponseKey::new("m", None));
    }
}
