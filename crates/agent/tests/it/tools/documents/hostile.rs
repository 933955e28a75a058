//! Hostile PDF documents: loops, bombs, deep nesting, random damage. Each ends quickly in an error or a document.

use std::time::Duration;

use annals_agent::tools::{Outcome, Read, ToolContent};

use super::made::{FORMS, Form, Made, deflated, stream};
use super::{Fixture, Text, pages_in, read, read_with, refused, run, sent};

/// Waits, generously: what hangs must not hang the tests.
async fn soon(bytes: &[u8]) -> Outcome {
    let reading = read(bytes, "1");
    tokio::time::timeout(Duration::from_secs(120), reading).await.expect("it hangs")
}

/// A document of one page, and more objects from 5 on.
fn with(objects: &[&str]) -> Made {
    let mut made = Made::default();
    made.put("<</Type/Catalog/Pages 2 0 R>>");
    made.put("<</Type/Pages/Kids[3 0 R 5 0 R]>>");
    made.put("<</Type/Page/Contents 4 0 R/Extra 5 0 R>>");
    made.put(stream("", b"(words of page 1.) Tj"));
    for object in objects {
        made.put(object);
    }
    made
}

#[tokio::test]
async fn loops_come_to_an_end() {
    for form in FORMS {
        let round = with(&["<</Type/Pages/Kids[2 0 R 5 0 R 6 0 R]>>", "<</Kids 6 0 R>>"]);
        assert_eq!(pages_in(&sent(&soon(&round.file(form)).await).1), [1], "{form:?}");
        let mut made = with(&["6 0 R", "5 0 R"]);
        made.objects[3] = b"<</Length 4 0 R>>\nstream\n(words of page 1.)\nendstream".to_vec();
        assert_eq!(pages_in(&sent(&soon(&made.file(form)).await).1), [1], "{form:?}");
    }
    // A cross-reference that comes before itself.
    let at = String::from_utf8_lossy(&with(&[]).file(Form::Table)).rfind("xref\n0 ").unwrap();
    let trailer = format!("/Root 1 0 R/Prev {at}/XRefStm {at}");
    let bytes = Made { trailer, ..with(&[]) }.file(Form::Table);
    assert_eq!(pages_in(&sent(&soon(&bytes).await).1), [1]);
    // A stream of objects that is one of its own.
    let mut made = with(&[]);
    made.put(stream("/Type/ObjStm/N 1/First 4", b"5 0 <</Type/Pages>>"));
    made.put("<</Type/ObjStm/N 1/First 6 0 R/Length 6 0 R>>stream\n6 0 7\nendstream");
    assert_eq!(pages_in(&sent(&soon(&made.file(Form::Lost)).await).1), [1]);
    let mut made = Made::default();
    made.put("<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>");
    refused(&soon(&made.file(Form::Table)).await, "no pages");
}

#[tokio::test]
async fn depth_is_limited() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let dicts = "<</A".repeat(100_000);
    for form in [Form::Table, Form::Lost] {
        assert_eq!(pages_in(&sent(&soon(&with(&[&deep]).file(form)).await).1), [1]);
        assert_eq!(pages_in(&sent(&soon(&with(&[&dicts]).file(form)).await).1), [1]);
    }
    // A tree of pages as deep as it has nodes.
    let mut made = with(&[]);
    made.objects[1] = b"<</Type/Pages/Kids[5 0 R]>>".to_vec();
    for at in 5..2000 {
        made.put(format!("<</Type/Pages/Kids[{} 0 R]>>", at + 1));
    }
    refused(&soon(&made.file(Form::Table)).await, "too much memory or time");
}

#[tokio::test]
async fn bombs_do_not_go_off() {
    // 100 MiB of zeros, as a stream of objects and as the cross-reference itself.
    let zeros = deflated(&vec![b'0'; 100 << 20]);
    let mut made = with(&[]);
    made.put(stream("/Type/ObjStm/N 9999999/First 10/Filter/FlateDecode", &zeros));
    assert_eq!(pages_in(&sent(&soon(&made.file(Form::Lost)).await).1), [1]);
    let mut bytes = b"%PDF-1.5\n".to_vec();
    let at = bytes.len();
    bytes.extend(b"1 0 obj\n");
    bytes.extend(stream("/Type/XRef/Size 99999999/W[1 0 0]/Root 1 0 R/Filter/FlateDecode", &zeros));
    bytes.extend(format!("\nendobj\nstartxref\n{at}\n%%EOF").bytes());
    refused(&soon(&bytes).await, "damaged");
    // Many that are each within their limit: together they are not.
    let each = deflated(&vec![b' '; 50 << 20]);
    let mut made = with(&[]);
    for _ in 0..12 {
        made.put(stream("/Type/ObjStm/N 1/First 10/Filter/FlateDecode", &each));
    }
    refused(&soon(&made.file(Form::Lost)).await, "too much memory or time");
    // A filter of filters.
    let twice = deflated(&deflated(&vec![0; 100 << 20]));
    let mut made = with(&[]);
    made.put(stream("/Type/ObjStm/N 1/First 10/Filter[/FlateDecode/FlateDecode]", &twice));
    assert_eq!(pages_in(&sent(&soon(&made.file(Form::Lost)).await).1), [1]);
}

#[tokio::test]
async fn the_same_bytes_are_not_read_over_and_over() {
    // Each object begins a string that never ends.
    let mut bytes = b"%PDF-1.4\n".to_vec();
    for number in 1..200_000 {
        bytes.extend(format!("{number} 0 obj (").bytes());
    }
    refused(&soon(&bytes).await, "damaged");
    // A stream whose objects all begin with the same long one.
    let index: String = (10..20_000).map(|number| format!("{number} 0 ")).collect();
    let within = format!("{index}[{}]", "0 ".repeat(200_000));
    let mut made = with(&[]);
    let kids: String = (10..20_000).map(|number| format!("{number} 0 R ")).collect();
    made.objects[1] = format!("<</Type/Pages/Kids[{kids}]>>").into_bytes();
    made.put(stream(&format!("/Type/ObjStm/N 20000/First {}", index.len()), within.as_bytes()));
    refused(&soon(&made.file(Form::Lost)).await, "too much memory or time");
}

#[tokio::test]
async fn what_is_no_document_is_refused() {
    for text in [
        "%PDF-1.4 …",
        "%PDF-",
        "%PDF-1.7\nstartxref\n0\n%%EOF",
        "%PDF-1.7\ntrailer<</Root 1 0 R>>startxref\n9",
    ] {
        refused(&read_with(text.as_bytes(), None).await, "damaged");
    }
}

/// A generator whose numbers are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

#[tokio::test]
async fn no_damage_ends_the_work() {
    let words: [&[u8]; 14] = [
        b"obj",
        b"endobj",
        b"stream\n",
        b"endstream",
        b"<<",
        b">>",
        b"[",
        b"]",
        b"(",
        b")",
        b" 2 0 R ",
        b"/Kids",
        b"-1",
        b"99999999999",
    ];
    let fixture = Fixture::new();
    let tool = Read::new(fixture.context.clone());
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut shown, mut told) = (0, 0);
    for form in FORMS {
        let whole = Made::of(6).file(form);
        for _ in 0..250 {
            let mut bytes = whole.clone();
            for _ in 0..=dice.below(4) {
                let at = 5 + dice.below(bytes.len() - 5);
                match dice.below(5) {
                    0 => bytes.truncate(at.max(6)),
                    1 => bytes[at] = dice.below(256) as u8,
                    2 => {
                        bytes.splice(at..at, words[dice.below(words.len())].iter().copied());
                    }
                    3 => {
                        bytes.drain(at..(at + dice.below(40)).min(bytes.len()));
                    }
                    _ => {
                        let digit = bytes[at..].iter().position(u8::is_ascii_digit);
                        if let Some(digit) = digit {
                            bytes[at + digit] = b'0' + dice.below(10) as u8;
                        }
                    }
                }
                bytes.extend(b"  ");
            }
            fixture.write("p.pdf", &bytes);
            let outcome = run(&tool, &[("file_path", Text("p.pdf")), ("pages", Text("2-3"))]).await;
            match &outcome.shown {
                ToolContent::Text(text) => {
                    assert!(outcome.is_error && !text.contains("ended before"), "{form:?}: {text}");
                    told += 1;
                }
                ToolContent::Blocks(_) => {
                    // Whatever was made of it is sound.
                    let (_, document) = sent(&outcome);
                    fixture.write("q.pdf", &document);
                    let again = run(&tool, &[("file_path", Text("q.pdf"))]).await;
                    assert_eq!(sent(&again).1, document, "{form:?}");
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 300 && told > 20, "both happen: {shown} shown, {told} refused");
}
