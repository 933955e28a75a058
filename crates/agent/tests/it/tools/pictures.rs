//! Read of images: sent unchanged if they fit, scaled down if not, rejected if invalid.

use std::task::{Context, Poll, Waker};

use annals_agent::protocol::ToolProgress;
use annals_agent::tools::{CallContext, Outcome, Read, Tool, ToolContent};
use annals_json::Value;
use annals_transcript::tool_result::ToolUseResult;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::bitmap::{Bitmap, Format, animation};
use super::{Fixture, Text, input, kept, refused, run};

const FORMATS: [(Format, &str); 4] = [
    (Format::Png, "image/png"),
    (Format::Jpeg, "image/jpeg"),
    (Format::Gif, "image/gif"),
    (Format::WebP, "image/webp"),
];

/// The left half red, the right half blue, the lower half of both darker.
fn drawn(width: u32, height: u32) -> Bitmap {
    Bitmap::from_fn(width, height, |x, y| {
        let light = if y < height / 2 { 250 } else { 120 };
        if x < width / 2 { [light, 0, 0, 255] } else { [0, 0, light, 255] }
    })
}

/// Nothing that a format could make small.
fn noise(width: u32, height: u32) -> Bitmap {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    Bitmap::from_fn(width, height, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let [a, b, c, ..] = state.to_le_bytes();
        [a, b, c, 255]
    })
}

fn file(pixels: Bitmap, format: Format) -> Vec<u8> {
    pixels.file(format)
}

async fn read(bytes: &[u8]) -> Outcome {
    let fixture = Fixture::new();
    fixture.write("picture.txt", bytes);
    run(&Read::new(fixture.context.clone()), &[("file_path", Text("picture.txt"))]).await
}

/// Bytes out of base64.
pub(super) fn plain(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap()
}

/// What was sent: media type, bytes, and what was said about it. What is kept is the same picture.
fn sent(outcome: &Outcome) -> (String, Vec<u8>, Option<String>) {
    let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("{:?}", outcome.shown) };
    let block = Value::parse(&blocks[0]).unwrap();
    assert!(block.get("type").unwrap().text().unwrap().is("image"));
    let source = block.get("source").unwrap();
    let text = |key: &str| source.get(key).unwrap().text().unwrap().to_string();
    let file = kept(outcome).get("file").unwrap();
    assert!(file.get("base64").unwrap().text().unwrap().is(&text("data")));
    assert!(file.get("type").unwrap().text().unwrap().is(&text("media_type")));
    let note = blocks.get(1).map(|note| Value::parse(note).unwrap().get("text").unwrap().text().unwrap());
    (text("media_type"), plain(&text("data")), note.map(|note| note.to_string()))
}

/// Sizes before and after, as they are kept.
fn sizes(outcome: &Outcome) -> [u64; 4] {
    let ToolUseResult::Read(read) = ToolUseResult::new(kept(outcome)) else { panic!("no Read") };
    let dimensions = read.file().unwrap().dimensions().unwrap();
    ["originalWidth", "originalHeight", "displayWidth", "displayHeight"]
        .map(|key| dimensions.get(key).unwrap().count().unwrap())
}

#[tokio::test]
async fn a_small_picture_goes_out_byte_for_byte_whatever_its_name() {
    for (format, media_type) in FORMATS {
        let bytes = file(drawn(40, 30), format);
        let outcome = read(&bytes).await;
        assert_eq!(sent(&outcome), (media_type.to_owned(), bytes.clone(), None));
        assert_eq!(sizes(&outcome), [40, 30, 40, 30]);
        assert_eq!(
            kept(&outcome).get("file").unwrap().get("originalSize").unwrap().count(),
            Some(bytes.len() as u64)
        );
    }
    // The longest edge that goes as it is.
    let bytes = file(drawn(2000, 3), Format::Png);
    assert_eq!(sent(&read(&bytes).await).1, bytes);
}

#[tokio::test]
async fn a_large_picture_is_made_smaller_and_looks_the_same() {
    for (format, _) in FORMATS {
        let outcome = read(&file(drawn(4200, 420), format)).await;
        let (media_type, bytes, note) = sent(&outcome);
        let expected = if format == Format::Jpeg { "image/jpeg" } else { "image/png" };
        assert_eq!((media_type.as_str(), sizes(&outcome)), (expected, [4200, 420, 2000, 200]));
        let note = note.unwrap();
        assert!(note.contains("4200 x 420") && note.contains("2.100 times"), "{note}");
        let seen = Bitmap::read(&bytes);
        assert_eq!((seen.width, seen.height), (2000, 200));
        for (x, y, color) in
            [(10, 10, [250, 0, 0]), (1990, 10, [0, 0, 250]), (10, 190, [120, 0, 0]), (1990, 190, [0, 0, 120])]
        {
            let found = seen.at(x, y);
            let is_near = found.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 12);
            assert!(is_near, "{format:?} at {x} {y}: {found:?}");
        }
    }
}

#[tokio::test]
async fn lines_finer_than_a_pixel_become_gray_and_not_a_pattern() {
    for width in [3000, 6000, 9001, 20_000] {
        let stripes = Bitmap::from_fn(width, 30, |x, _| if x % 2 == 0 { [255; 4] } else { [0, 0, 0, 255] });
        let (_, bytes, _) = sent(&read(&file(stripes, Format::Png)).await);
        let seen = Bitmap::read(&bytes);
        let stray = seen.colors().find(|color| !(90..170).contains(&color[0]));
        assert_eq!(stray, None, "{width}: a filter that takes the nearest gives black or white");
    }
}

#[tokio::test]
async fn too_many_bytes_become_a_jpeg_that_fits() {
    let whole = noise(1200, 1200);
    let pixels = Bitmap::from_fn(1200, 1200, |x, y| {
        let [red, green, blue] = whole.at(x, y);
        if x < 100 && y < 100 { [0; 4] } else { [red, green, blue, 255] }
    });
    let bytes = file(pixels, Format::Png);
    assert!(bytes.len() > 3_750_000);
    let outcome = read(&bytes).await;
    let (media_type, smaller, note) = sent(&outcome);
    assert_eq!((media_type.as_str(), note), ("image/jpeg", None));
    assert!(smaller.len() <= 3_750_000);
    assert_eq!(sizes(&outcome), [1200; 4]);
    let seen = Bitmap::read(&smaller);
    assert!(seen.at(40, 40).iter().all(|part| *part > 235), "what can be seen through is white");
}

/// A JPEG with a note of how the camera was held.
fn held(mut jpeg: Vec<u8>, orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    jpeg.splice(2..2, [0xff, 0xe1, length[0], length[1]].into_iter().chain(exif));
    jpeg
}

#[tokio::test]
async fn a_photo_is_turned_the_way_it_was_held() {
    // 6: the camera lay on its side; what is stored left is at the top.
    let outcome = read(&held(file(drawn(2400, 1200), Format::Jpeg), 6)).await;
    assert_eq!(sizes(&outcome), [1200, 2400, 1000, 2000]);
    let seen = Bitmap::read(&sent(&outcome).1);
    let [red, _, blue] = seen.at(900, 10);
    assert!(red > 200 && blue < 50, "{red} {blue}");
    let [red, _, blue] = seen.at(900, 1990);
    assert!(red < 50 && blue > 200, "{red} {blue}");
    // One that fits is not touched.
    let small = held(file(drawn(40, 20), Format::Jpeg), 6);
    assert_eq!(sent(&read(&small).await).1, small);
}

#[tokio::test]
async fn of_an_animation_the_first_frame_is_shown() {
    let frame = |color| Bitmap::from_fn(2100, 60, |_, _| color);
    let bytes = animation(&[frame([255, 0, 0, 255]), frame([0, 255, 0, 255])]);
    let (media_type, bytes, _) = sent(&read(&bytes).await);
    assert_eq!(media_type, "image/png");
    assert_eq!(Bitmap::read(&bytes).at(5, 5), [255, 0, 0]);
}

/// A PNG whose header says so much, with the check sum that belongs to it.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut png = file(drawn(8, 8), Format::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = png[12..29].iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| sum >> 1 ^ (0xedb8_8320 * (sum & 1)))
    });
    png[29..33].copy_from_slice(&(!sum).to_be_bytes());
    png
}

#[tokio::test]
async fn a_picture_that_lies_about_itself_is_refused() {
    refused(&read(&claiming(60_000, 60_000)).await, "60000 x 60000 pixels");
    refused(&read(&claiming(0, 5)).await, "image");
    refused(&read(&claiming(0x7fff_ffff, 0x7fff_ffff)).await, "image");
    refused(&read(&claiming(9, 9)).await, "cannot be decoded as image/png");
    refused(&read(b"\x89PNG\r\n\x1a\nrest").await, "cannot be decoded as image/png");
    refused(&read(b"RIFF\x10\0\0\0WEBPVP8 ").await, "cannot be decoded as image/webp");
    refused(&read(b"GIF89a\xff\xff\xff\xff\0\0\0").await, "cannot be decoded as image/gif");
    let mut cut = file(noise(60, 60), Format::Png);
    cut.truncate(cut.len() / 2);
    refused(&read(&cut).await, "cannot be decoded as image/png");
    // The height stands in the frame's header, which the marker FF C0 begins.
    let mut tall = file(drawn(16, 16), Format::Jpeg);
    let at = tall.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    tall[at + 5..at + 9].copy_from_slice(&[0xff; 4]);
    refused(&read(&tall).await, "image");
}

#[tokio::test]
async fn no_damage_ends_the_work() {
    let fixture = Fixture::new();
    let tool = Read::new(fixture.context.clone());
    for (format, _) in FORMATS {
        let whole = file(noise(24, 18), format);
        let step = (whole.len() / 60).max(1);
        for at in (8..whole.len()).step_by(step) {
            for change in 0..3 {
                let mut bytes = whole.clone();
                match change {
                    0 => bytes.truncate(at),
                    1 => bytes[at] ^= 0xff,
                    _ => bytes[at..].reverse(),
                }
                fixture.write("p", &bytes);
                let outcome = run(&tool, &[("file_path", Text("p"))]).await;
                if let ToolContent::Text(text) = &outcome.shown {
                    assert!(
                        outcome.is_error && !text.contains("ended before"),
                        "{format:?} {at} {change}: {text}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn others_go_on_while_a_picture_is_scaled() {
    let fixture = Fixture::new();
    fixture.write("p", file(drawn(2100, 2100), Format::Png));
    let tool = Read::new(fixture.context.clone());
    let input = input(&[("file_path", Text("p"))]);
    let tell = |_: ToolProgress| {};
    let call = CallContext { tool_use: "toolu_01", tell: &tell, agreed: None, parent: None };
    let mut running = tool.run(&input, &call);
    let first = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(first, Poll::Pending, "the work was done by the thread that asked");
    assert!(!running.await.is_error);
}
