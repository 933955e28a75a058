//! A number that stands for an id, so that copies are known and no ids are kept.

use crate::pack::{Pack, Packer, Unpacker};

/// Stands for an id, or for bytes: a 64-bit FNV-1a hash, the same on every machine and in every release. Any two of a million
/// ids share one with a chance below one in ten million.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Mark(pub(crate) u64);

impl Mark {
    /// The mark of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        Self(bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME)))
    }
}

/// As it is: no hash is a small number.
impl Pack for Mark {
    fn pack(&self, packer: &mut Packer) {
        packer.raw(&self.0.to_le_bytes());
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self(u64::from_le_bytes(unpacker.raw(8)?.try_into().ok()?)))
    }
}
