//! A uuid as text that can be copied.

/// Version 4 in form, though nothing about it is random.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Uuid([u8; 36]);

impl Uuid {
    pub(crate) fn from_bits(high: u64, low: u64) -> Self {
        let high = high & !0xf000 | 0x4000;
        let low = low & !(3 << 62) | (2 << 62);
        let bits = (u128::from(high) << 64) | u128::from(low);
        let mut text = [b'-'; 36];
        let mut shift = 128;
        for (at, byte) in text.iter_mut().enumerate() {
            if !matches!(at, 8 | 13 | 18 | 23) {
                shift -= 4;
                *byte = b"0123456789abcdef"[((bits >> shift) & 15) as usize];
            }
        }
        Self(text)
    }

    /// Takes any 36 bytes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        text.as_bytes().try_into().ok().map(Self)
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl std::fmt::Display for Uuid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::fmt::Debug for Uuid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_form_of_version_4() {
        assert_eq!(Uuid::from_bits(0, 0).as_str(), "00000000-0000-4000-8000-000000000000");
        assert_eq!(Uuid::from_bits(u64::MAX, u64::MAX).as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
