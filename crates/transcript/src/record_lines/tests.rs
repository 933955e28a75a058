//! Chunks of any size give the lines of the whole file.

use std::convert::Infallible;

use super::*;

/// What files are made of, also wrongly.
const PARTS: [&str; 24] = [
    "{\"type\":\"user\",\"uuid\":\"a\"}\n",
    "{\n \"type\": \"user\",\n \"uuid\": \"b\",\n \"message\": {\n  \"content\": []\n }\n}\n",
    "{\"type\":\"assistant\",\"uuid\":\"c\",\"message\":{\"id\":\"m\"}\n",
    ",\"x\":1}\n",
    "{\"type\":\"user\",\"message\":{\"content\":[\n",
    "{\"type\":\"user\",\"message\":{\"content\":\"torn\n",
    "{\n",
    "}\n",
    "[\n",
    "]\n",
    "]}\n",
    ",\n",
    "\"key\":",
    "\"type\": \"tag\"\n",
    "garbage",
    "\0\0",
    "\u{a0}\n",
    " \n",
    "{\"type\":\"tag\"}",
    "1\n",
    "[1,2]\n",
    "{\"type\":\"user\",\"uuid\":\"d\"},\n",
    "{\"a\":\r\n",
    "{}\n",
];

/// Line numbers and lengths.
type Found = Vec<(usize, usize, usize, usize)>;

fn place(line: &Line<'_>) -> (usize, usize, usize, usize) {
    (line.number, line.last_number(), line.offset, line.raw().len())
}

fn pushed(file: &[u8], size: usize) -> (Found, RecordSplitter) {
    let (mut found, mut splitter) = (Vec::new(), RecordSplitter::new());
    for chunk in file.chunks(size) {
        let keep = |line: Line<'_>| -> Result<(), Infallible> {
            assert_eq!(line.raw(), &file[line.offset..line.offset + line.raw().len()]);
            found.push(place(&line));
            Ok(())
        };
        let Ok(()) = splitter.push(chunk, keep);
    }
    (found, splitter)
}

#[test]
fn chunks_of_any_size_give_the_lines_of_the_whole_file() {
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..4_000 {
        let file: String = (0..=next(7)).map(|_| PARTS[next(PARTS.len())]).collect();
        let whole: Found = record_lines(file.as_bytes()).map(|line| place(&line)).collect();
        assert_eq!(whole.iter().map(|(_, _, _, length)| length).sum::<usize>(), file.len());
        for size in [1, 2, 1 + next(20), file.len()] {
            let (mut found, splitter) = pushed(file.as_bytes(), size);
            let Ok(()) = splitter.finish(|line| -> Result<(), Infallible> {
                found.push(place(&line));
                Ok(())
            });
            assert_eq!(found, whole, "{file:?} by {size}");
        }
    }
}

#[test]
fn an_ordinary_line_is_given_at_once() {
    let (found, splitter) = pushed(b"{\"a\":{}}\n{\"b\":[]}\n", 1);
    assert_eq!(found, [(1, 1, 0, 9), (2, 2, 9, 9)]);
    assert!(splitter.is_between_lines());
}

#[test]
fn a_record_that_is_being_written_is_left_for_later() {
    fn settled(file: &str) -> usize {
        let (mut found, splitter) = pushed(file.as_bytes(), 3);
        let Ok(()) = splitter.finish_settled(|line| -> Result<(), Infallible> {
            found.push(place(&line));
            Ok(())
        });
        found.len()
    }
    let user = "{\"type\":\"user\",\"uuid\":\"a\"}\n";
    assert_eq!(settled(&format!("{user}{{\n\"type\":\n")), 1);
    assert_eq!(settled(&format!("{user}{{\n\"type\":\n\"us")), 1);
    assert_eq!(settled(&format!("{user}{{\n\"type\":\n\"user\"\n}}")), 2);
    // Nothing will complete what was torn here.
    assert_eq!(settled(&format!("{{\"x\":[\n{user}")), 2);
}

#[test]
fn deep_brackets_on_lines_of_their_own_are_scanned_once() {
    let file = "[\n".repeat(200_000) + "!\n";
    assert_eq!(record_lines(file.as_bytes()).count(), 200_001);
}
