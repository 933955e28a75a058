//! A 64-bit hash of an id, to recognise copies without storing ids.

use crate::pack::{Pack, Packer, Unpacker};

/// The FNV-1a hash of an id or of bytes, stable across machines and releases. The chance that any two of a million ids
/// collide is below one in ten million.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct IdHash(pub(crate) u64);

impl IdHash {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        Self(bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME)))
    }
}

/// Eight raw bytes: a hash does not get shorter as a varint.
impl Pack for IdHash {
    fn pack(&self, packer: &mut Packer) {
        packer.raw(&self.0.to_le_bytes());
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self(u64::from_le_bytes(unpacker.raw(8)?.try_into().ok()?)))
    }
}
