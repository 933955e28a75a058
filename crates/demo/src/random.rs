//! A small generator of numbers that look random and never are: SplitMix64.

use crate::id::Uuid;

const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The state is one number; the same number gives the same store on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A separate generator for one purpose, so that more draws here change nothing there.
    pub(crate) fn fork(&mut self, label: u64) -> Self {
        let state = self.next();
        Self(state ^ label.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; zero if `end` is zero.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `low` up to and including `high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, which must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// One of `words`, which must not be empty.
    pub(crate) fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    /// Mostly near `low`, seldom near `high`: the shape of file and output sizes.
    pub(crate) fn skewed(&mut self, low: u64, high: u64) -> u64 {
        let unit = self.below(1 << 20);
        let square = (unit * unit) >> 20;
        let fourth = (square * square) >> 20;
        low + ((u128::from(high.saturating_sub(low)) * u128::from(fourth)) >> 20) as u64
    }

    pub(crate) fn uuid(&mut self) -> Uuid {
        Uuid::from_bits(self.next(), self.next())
    }

    /// `length` hexadecimal digits.
    pub(crate) fn hex(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(b"0123456789abcdef"[self.below(16) as usize])).collect()
    }

    /// `prefix` and `length` letters and digits, the form of the API's ids.
    pub(crate) fn token(&mut self, prefix: &str, length: usize) -> String {
        let mut token = String::with_capacity(prefix.len() + length);
        token.push_str(prefix);
        let mut bits = 0;
        for at in 0..length {
            if at % 10 == 0 {
                bits = self.next();
            }
            token.push(char::from(ALPHABET[(bits % 62) as usize]));
            bits /= 62;
        }
        token
    }

    /// Bytes that do not compress, in base 64: signatures and sealed thinking.
    pub(crate) fn noise(&mut self, length: usize) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut noise = String::with_capacity(length + 10);
        while noise.len() < length {
            let mut bits = self.next();
            for _ in 0..10 {
                noise.push(char::from(DIGITS[(bits & 63) as usize]));
                bits >>= 6;
            }
        }
        noise.truncate(length / 4 * 4);
        noise
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_repeatable_and_in_range() {
        let (mut a, mut b) = (Random::new(7), Random::new(7));
        for _ in 0..1000 {
            let n = a.between(3, 9);
            assert_eq!(n, b.between(3, 9));
            assert!((3..=9).contains(&n));
            let s = a.skewed(10, 1000);
            b.skewed(10, 1000);
            assert!((10..=1000).contains(&s));
        }
        assert_eq!(a.noise(16).len(), 16);
    }
}
