//! A compact binary encoding of results, for the cache of `annals-index`. Not part of the public API.
//!
//! Invalid bytes decode to `None`, never to a panic. The encoding has no version: the caller stores one beside it.

use std::collections::HashMap;
use std::sync::Arc;

/// A type with a binary encoding.
pub trait Pack: Sized {
    /// Appends the value.
    fn pack(&self, packer: &mut Packer);
    /// Reads a value; `None` if the bytes are invalid.
    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self>;
}

/// Encodes one value.
pub fn packed(value: &impl Pack) -> Vec<u8> {
    let mut packer = Packer::default();
    value.pack(&mut packer);
    packer.bytes
}

/// Decodes one value; `None` unless the bytes are exactly one.
pub fn unpacked<T: Pack>(bytes: &[u8]) -> Option<T> {
    let mut unpacker = Unpacker { bytes, names: Vec::new() };
    let value = T::unpack(&mut unpacker)?;
    unpacker.bytes.is_empty().then_some(value)
}

/// Collects encoded bytes.
#[derive(Debug, Default)]
pub struct Packer {
    bytes: Vec<u8>,
    names: HashMap<Arc<str>, u64>,
}

impl Packer {
    /// Appends raw bytes; the reader must know their number.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// Reads encoded bytes from the front.
#[derive(Debug)]
pub struct Unpacker<'a> {
    bytes: &'a [u8],
    names: Vec<Arc<str>>,
}

impl<'a> Unpacker<'a> {
    /// Reads `length` raw bytes.
    pub fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }
}

/// Seven bits a byte, the lowest first.
impl Pack for u64 {
    fn pack(&self, packer: &mut Packer) {
        let mut rest = *self;
        while rest >= 0x80 {
            packer.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        packer.bytes.push(rest as u8);
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let mut number = 0;
        for shift in (0..Self::BITS).step_by(7) {
            let (byte, rest) = unpacker.bytes.split_first()?;
            unpacker.bytes = rest;
            number |= Self::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

/// Small numbers are short, whatever their sign.
impl Pack for i64 {
    fn pack(&self, packer: &mut Packer) {
        ((self << 1) ^ (self >> 63)).cast_unsigned().pack(packer);
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let folded = u64::unpack(unpacker)?;
        Some((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed())
    }
}

impl Pack for usize {
    fn pack(&self, packer: &mut Packer) {
        (*self as u64).pack(packer);
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        u64::unpack(unpacker)?.try_into().ok()
    }
}

impl Pack for bool {
    fn pack(&self, packer: &mut Packer) {
        u64::from(*self).pack(packer);
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        match u64::unpack(unpacker)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// A name is written once; later occurrences are its number.
impl Pack for Arc<str> {
    fn pack(&self, packer: &mut Packer) {
        let next = packer.names.len() as u64;
        match packer.names.get(self) {
            Some(&number) => number.pack(packer),
            None => {
                packer.names.insert(Self::clone(self), next);
                next.pack(packer);
                self.len().pack(packer);
                packer.raw(self.as_bytes());
            }
        }
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let number = usize::unpack(unpacker)?;
        if number == unpacker.names.len() {
            let length = usize::unpack(unpacker)?;
            let name = str::from_utf8(unpacker.raw(length)?).ok()?;
            unpacker.names.push(name.into());
        }
        unpacker.names.get(number).cloned()
    }
}

impl Pack for String {
    fn pack(&self, packer: &mut Packer) {
        self.len().pack(packer);
        packer.raw(self.as_bytes());
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let length = usize::unpack(unpacker)?;
        Some(str::from_utf8(unpacker.raw(length)?).ok()?.to_owned())
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, packer: &mut Packer) {
        self.is_some().pack(packer);
        if let Some(value) = self {
            value.pack(packer);
        }
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        Some(if bool::unpack(unpacker)? { Some(T::unpack(unpacker)?) } else { None })
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, packer: &mut Packer) {
        self.len().pack(packer);
        self.iter().for_each(|value| value.pack(packer));
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let length = usize::unpack(unpacker)?;
        // Each value takes at least one byte, so a larger number is invalid.
        let mut values = Self::with_capacity(length.min(unpacker.bytes.len()));
        for _ in 0..length {
            values.push(T::unpack(unpacker)?);
        }
        Some(values)
    }
}

impl<T: Pack> Pack for Box<[T]> {
    fn pack(&self, packer: &mut Packer) {
        self.len().pack(packer);
        self.iter().for_each(|value| value.pack(packer));
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        Vec::unpack(unpacker).map(Vec::into_boxed_slice)
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, packer: &mut Packer) {
        self.0.pack(packer);
        self.1.pack(packer);
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        Some((A::unpack(unpacker)?, B::unpack(unpacker)?))
    }
}

/// Implements [`Pack`](crate::pack::Pack) for structs, field by field. A forgotten field does not compile.
#[macro_export]
macro_rules! pack_fields {
    ($($name:ident { $($field:ident),+ $(,)? })+) => {$(
        impl $crate::pack::Pack for $name {
            fn pack(&self, packer: &mut $crate::pack::Packer) {
                let Self { $($field),+ } = self;
                $($crate::pack::Pack::pack($field, packer);)+
            }

            fn unpack(unpacker: &mut $crate::pack::Unpacker<'_>) -> Option<Self> {
                Some(Self { $($field: $crate::pack::Pack::unpack(unpacker)?),+ })
            }
        }
    )+};
}

/// Implements [`Pack`](crate::pack::Pack) for enums, by position in this list. A forgotten variant does not compile.
#[macro_export]
macro_rules! pack_words {
    ($($name:ident { $($word:ident),+ $(,)? })+) => {$(
        impl $crate::pack::Pack for $name {
            fn pack(&self, packer: &mut $crate::pack::Packer) {
                const ALL: &[$name] = &[$($name::$word),+];
                // Checks that the list is complete.
                match self { $(Self::$word)|+ => {} }
                let place = ALL.iter().position(|known| known == self).unwrap_or(0);
                $crate::pack::Pack::pack(&place, packer);
            }

            fn unpack(unpacker: &mut $crate::pack::Unpacker<'_>) -> Option<Self> {
                const ALL: &[$name] = &[$($name::$word),+];
                ALL.get(<usize as $crate::pack::Pack>::unpack(unpacker)?).copied()
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_come_back() {
        for number in [0, 1, 127, 128, 1 << 35, u64::MAX] {
            assert_eq!(unpacked(&packed(&number)), Some(number));
            let signed = number.cast_signed();
            for number in [signed, -signed.max(i64::MIN + 1), i64::MIN] {
                assert_eq!(unpacked(&packed(&number)), Some(number));
            }
        }
        assert_eq!([packed(&-1_i64).len(), packed(&63_i64).len(), packed(&u64::MAX).len()], [1, 1, 10]);
    }

    #[test]
    fn a_name_is_spelt_once() {
        let names: Vec<Arc<str>> = ["Bash", "Bash", "Read", "", "Bash"].map(Into::into).to_vec();
        let bytes = packed(&names);
        assert_eq!(bytes.len(), 1 + 6 + 1 + 6 + 2 + 1);
        assert_eq!(unpacked(&bytes), Some(names));
    }

    #[test]
    fn what_was_not_packed_is_nothing() {
        for bytes in [&[][..], &[0xff; 11], &[9], &[2, 0], &[1, 0, 5, b'a'], &[1, 0, 1, 0xff], &[0, 0]] {
            assert_eq!(unpacked::<Vec<Arc<str>>>(bytes), None, "{bytes:?}");
        }
        // A number that no memory would hold.
        assert_eq!(unpacked::<Vec<u64>>(&packed(&u64::MAX)), None);
    }
}
