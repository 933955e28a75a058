//! Decodes streams by their filters, within a limit.

use std::io::Read as _;

use super::object::{Dict, Object, hex};
use super::parse::is_space;

/// The most bytes that one stream may decode to.
const MAX_STREAM: usize = 64 << 20;

/// Decodes a stream by its filters and takes what comes out from the budget; `None` for an unknown filter, or if the budget
/// does not suffice.
pub(super) fn decode(dict: &Dict, stored: &[u8], budget: &mut usize) -> Option<Vec<u8>> {
    let one = |value: &Object| match value {
        Object::Array(items) => items.clone(),
        value => vec![value.clone()],
    };
    let filters = dict.get("Filter").or_else(|| dict.get("F")).map(one).unwrap_or_default();
    let settings = dict.get("DecodeParms").or_else(|| dict.get("DP")).map(one).unwrap_or_default();
    let mut bytes = stored.to_vec();
    for (at, filter) in filters.iter().enumerate() {
        let Object::Name(name) = filter else { return None };
        let most = MAX_STREAM.min(*budget);
        bytes = match name.as_slice() {
            b"FlateDecode" | b"Fl" => inflate(&bytes, most)?,
            b"LZWDecode" | b"LZW" => {
                let early = settings.get(at).and_then(Object::dict).and_then(|set| set.number("EarlyChange"));
                lzw(&bytes, early.unwrap_or(1).min(1), most)?
            }
            b"ASCIIHexDecode" | b"AHx" => hex(bytes.split(|byte| *byte == b'>').next()?),
            b"ASCII85Decode" | b"A85" => ascii85(&bytes)?,
            b"RunLengthDecode" | b"RL" => runs(&bytes, most)?,
            _ => return None,
        };
        *budget = budget.saturating_sub(bytes.len());
        if let Some(set) = settings.get(at).and_then(Object::dict) {
            bytes = unpredict(set, bytes)?;
        }
    }
    Some(bytes)
}

/// Inflates up to the first damage: a missing checksum does not matter.
fn inflate(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let all = flate2::read::ZlibDecoder::new(bytes).take(most as u64 + 1).read_to_end(&mut out);
    if out.len() > most || (all.is_err() && out.is_empty()) { None } else { Some(out) }
}

fn lzw(bytes: &[u8], early: usize, most: usize) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    // Each entry is a range of the output so far.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let (mut width, mut bits, mut held) = (9_u32, 0_u32, 0_u32);
    let mut previous: Option<(usize, usize)> = None;
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = (bits >> held & ((1 << width) - 1)) as usize;
        bits &= (1 << held) - 1;
        let start = out.len();
        match code {
            256 => {
                table.clear();
                width = 9;
                previous = None;
                continue;
            }
            257 => break,
            0..=255 => out.push(code as u8),
            _ => {
                let (from, length) = match (table.get(code - 258), previous) {
                    (Some(entry), _) => *entry,
                    (None, Some((from, length))) if code - 258 == table.len() => (from, length + 1),
                    _ => return (!out.is_empty()).then_some(out),
                };
                for at in from..from + length {
                    // The entry being added ends with the byte written here.
                    let byte = *out.get(at)?;
                    out.push(byte);
                }
            }
        }
        if out.len() > most {
            return None;
        }
        if let Some((from, length)) = previous
            && table.len() < 4096 - 258
        {
            table.push((from, length + 1));
        }
        previous = Some((start, out.len() - start));
        width = match table.len() + 258 + early + 1 {
            0..=512 => 9,
            513..=1024 => 10,
            1025..=2048 => 11,
            _ => 12,
        };
    }
    Some(out)
}

fn ascii85(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut group: Vec<u32> = Vec::new();
    let mut put = |group: &[u32]| {
        let full = (0..5)
            .fold(0_u32, |sum, at| sum.wrapping_mul(85).wrapping_add(group.get(at).copied().unwrap_or(84)));
        out.extend_from_slice(&full.to_be_bytes()[..group.len().saturating_sub(1)]);
    };
    for byte in bytes {
        match byte {
            b'z' if group.is_empty() => put(&[0; 5]),
            b'!'..=b'u' => group.push(u32::from(byte - b'!')),
            b'~' => break,
            byte if is_space(*byte) => {}
            _ => return None,
        }
        if group.len() == 5 {
            put(&group);
            group.clear();
        }
    }
    put(&group);
    Some(out)
}

fn runs(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let [length, after @ ..] = rest {
        let length = usize::from(*length);
        match length {
            128 => break,
            0..=127 => {
                let run = &after[..after.len().min(length + 1)];
                out.extend_from_slice(run);
                rest = &after[run.len()..];
            }
            _ => {
                let [byte, after @ ..] = after else { break };
                out.extend(std::iter::repeat_n(*byte, 257 - length));
                rest = after;
            }
        }
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

/// Undoes the PNG predictors.
fn unpredict(set: &Dict, bytes: Vec<u8>) -> Option<Vec<u8>> {
    let number = |key: &str, usual: usize| set.number(key).unwrap_or(usual);
    match number("Predictor", 1) {
        0 | 1 => return Some(bytes),
        10.. => {}
        _ => return None,
    }
    let bits = number("Colors", 1).checked_mul(number("BitsPerComponent", 8))?;
    let row = bits.checked_mul(number("Columns", 1))?.div_ceil(8);
    let step = bits.div_ceil(8).max(1);
    if row == 0 || row > bytes.len() {
        return None;
    }
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut above = vec![0; row];
    for line in bytes.chunks(row + 1) {
        let (kind, line) = line.split_first()?;
        let mut current = line.to_vec();
        current.resize(row, 0);
        for at in 0..row {
            let left = if at >= step { current[at - step] } else { 0 };
            let corner = if at >= step { above[at - step] } else { 0 };
            let guess = match kind {
                1 => left,
                2 => above[at],
                3 => ((u16::from(left) + u16::from(above[at])) / 2) as u8,
                4 => paeth(left, above[at], corner),
                _ => 0,
            };
            current[at] = current[at].wrapping_add(guess);
        }
        out.extend_from_slice(&current[..line.len()]);
        above = current;
    }
    Some(out)
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(above) - i16::from(corner);
    let far = |byte: u8| (guess - i16::from(byte)).abs();
    match () {
        () if far(left) <= far(above) && far(left) <= far(corner) => left,
        () if far(above) <= far(corner) => above,
        () => corner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_undone() {
        assert_eq!(ascii85(b"87cUR D]i,\"Ebo80~>").unwrap(), b"Hello World!");
        assert_eq!(ascii85(b"z!!~>").unwrap(), [0, 0, 0, 0, 0]);
        assert_eq!(runs(&[2, b'a', b'b', b'c', 254, b'x', 128, 9], 100).unwrap(), b"abcxxx");
        // The example of the standard.
        let packed = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        assert_eq!(lzw(&packed, 1, 100).unwrap(), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
    }

    #[test]
    fn nothing_grows_beyond_its_room() {
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut packed, &vec![0; 1 << 20]).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(inflate(&packed, 1 << 19), None);
        assert_eq!(inflate(&packed, 1 << 20).unwrap().len(), 1 << 20);
        assert_eq!(runs(&[129, 0].repeat(100), 1000), None);
    }

    #[test]
    fn rows_are_guessed_like_in_png() {
        let set = |predictor: &str| {
            let plain = |text: &str| Object::Plain(text.as_bytes().to_vec());
            Dict(vec![(b"Predictor".to_vec(), plain(predictor)), (b"Columns".to_vec(), plain("3"))])
        };
        let rows = vec![2, 1, 2, 3, 2, 1, 1, 1, 1, 5, 1, 1, 0, 7, 7, 7];
        assert_eq!(unpredict(&set("12"), rows).unwrap(), [1, 2, 3, 2, 3, 4, 5, 6, 7, 7, 7, 7]);
        assert_eq!(unpredict(&set("2"), vec![1, 2, 3]), None);
    }
}
