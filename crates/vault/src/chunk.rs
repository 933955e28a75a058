//! Content-defined chunking: where a stream is cut depends on its bytes alone, so that equal stretches of two files give
//! equal chunks at any offset.
//!
//! A rolling hash covers the last 64 bytes (each byte adds a number from a table, and the sum shifts with every step);
//! where its top bits are zero, a chunk ends.

/// No chunk is shorter, except the last one of a file.
pub(crate) const MIN_CHUNK: usize = 16 * 1024;
pub(crate) const MAX_CHUNK: usize = 256 * 1024;
/// Sixteen bits that must be zero: a cut every 64 KiB on average beyond the minimum.
const CUT: u64 = 0xffff << 48;
/// How many bytes the rolling hash covers.
const REACH: usize = 64;

const TABLE: [u64; 256] = table();

/// Pseudo-random numbers; any table works as long as it never changes.
const fn table() -> [u64; 256] {
    let mut numbers = [0; 256];
    let mut state: u64 = 0x616e_6e61_6c73;
    let mut at = 0;
    while at < 256 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers[at] = mixed ^ (mixed >> 31);
        at += 1;
    }
    numbers
}

/// The length of the first chunk. `bytes` must hold [`MAX_CHUNK`] bytes, or all that are left.
pub(crate) fn first_chunk(bytes: &[u8]) -> usize {
    let most = bytes.len().min(MAX_CHUNK);
    if most <= MIN_CHUNK {
        return most;
    }
    let mut sum: u64 = 0;
    for (at, byte) in bytes[MIN_CHUNK - REACH..most].iter().enumerate() {
        sum = (sum << 1).wrapping_add(TABLE[usize::from(*byte)]);
        if at >= REACH && sum & CUT == 0 {
            return MIN_CHUNK - REACH + at + 1;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(length: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    fn pieces(mut bytes: &[u8]) -> Vec<&[u8]> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let (chunk, rest) = bytes.split_at(first_chunk(bytes));
            found.push(chunk);
            bytes = rest;
        }
        found
    }

    #[test]
    fn pieces_make_the_whole_and_keep_their_bounds() {
        let bytes = noise(4_000_000, 1);
        let found = pieces(&bytes);
        assert_eq!(found.concat(), bytes);
        assert!(found.len() > 20, "{}", found.len());
        let (last, others) = found.split_last().unwrap();
        assert!(
            others.iter().all(|chunk| (MIN_CHUNK..=MAX_CHUNK).contains(&chunk.len()))
                && last.len() <= MAX_CHUNK
        );
    }

    #[test]
    fn an_insertion_changes_only_the_pieces_around_it() {
        let before = noise(4_000_000, 2);
        let mut after = before.clone();
        after.splice(1_000_000..1_000_000, b"something new".iter().copied());
        let (before, after) = (pieces(&before), pieces(&after));
        let shared = after.iter().filter(|chunk| before.contains(chunk)).count();
        assert!(after.len() - shared <= 3, "{} of {} pieces are new", after.len() - shared, after.len());
    }
}
