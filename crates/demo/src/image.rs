//! Real PNG pictures: stripes and noise, uncompressed inside, in base 64 for image blocks.

use crate::random::Random;

const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = at as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
};

/// A picture of `width` by `height` pixels, as the bytes of a file.
pub(crate) fn png(random: &mut Random, width: u32, height: u32) -> Vec<u8> {
    let palette: [[u8; 3]; 4] = std::array::from_fn(|_| {
        let [r, g, b, ..] = random.next().to_le_bytes();
        [r, g, b]
    });
    let mut pixels = Vec::with_capacity((width as usize * 3 + 1) * height as usize);
    for y in 0..height {
        pixels.push(0);
        for x in 0..width {
            let [r, g, b] = palette[((x / 8 + y / 8) % 4) as usize];
            let grain = (random.next() & 15) as u8;
            pixels.extend_from_slice(&[r ^ grain, g, b]);
        }
    }
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &stored(&pixels));
    chunk(&mut out, b"IEND", &[]);
    out
}

/// A zlib stream of stored blocks.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut blocks = data.chunks(65_535).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in data {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    out.extend_from_slice(&(b << 16 | a).to_be_bytes());
    out
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    out.extend_from_slice(&(data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend_from_slice(name);
    out.extend_from_slice(data);
    let sum = out[start..]
        .iter()
        .fold(!0_u32, |sum, &byte| (sum >> 8) ^ CRC[((sum ^ u32::from(byte)) & 255) as usize]);
    out.extend_from_slice(&(!sum).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_chunks() {
        let picture = png(&mut Random::new(1), 16, 16);
        assert!(picture.starts_with(b"\x89PNG"));
        assert!(picture.ends_with(b"IEND\xae\x42\x60\x82"));
    }
}
