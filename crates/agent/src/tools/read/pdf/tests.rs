//! Hostile documents that cause much work with few bytes: all of it is counted and limited.

use super::file::Pdf;
use super::object::Object;
use super::{PdfDamage, PdfError, pages, text};

/// Reads all pages and their text.
fn looked_at(bytes: &[u8]) -> Result<(), PdfError> {
    let mut pdf = Pdf::searched(bytes)?;
    for page in pages::all(&mut pdf)? {
        text::of_page(&mut pdf, &page)?;
    }
    Ok(())
}

#[track_caller]
fn is_too_much(bytes: &str) {
    let end = looked_at(bytes.as_bytes());
    assert!(matches!(end, Err(PdfError::PdfDamage(PdfDamage::TooMuch))), "{end:?}");
}

const BEGIN: &str = "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n";

#[test]
fn what_is_never_closed_is_paid_for() {
    is_too_much(&format!("%PDF-1.7\n{}", "trailer< ".repeat(8000)));
    let comments: String = (1..8000).map(|number| format!("{number} 0 obj 5%")).collect();
    is_too_much(&comments);
}

#[test]
fn streams_without_an_end_are_paid_for() {
    let kids: String = (3..200).map(|number| format!("{number} 0 R ")).collect();
    let objects: String = (3..200).map(|number| format!("{number} 0 obj<<>>stream\nendobj\n")).collect();
    let filler = "-".repeat(1 << 20);
    is_too_much(&format!("{BEGIN}2 0 obj<</Kids[{kids}]>>endobj\n{objects}{filler}"));
}

#[test]
fn copies_are_paid_for() {
    let text = format!("{BEGIN}2 0 obj [{}] endobj", "0 ".repeat(100_000));
    let mut pdf = Pdf::searched(text.as_bytes()).unwrap();
    let copies = (0..1000).map(|_| pdf.resolve(&Object::Reference(2))).collect::<Result<Vec<_>, _>>();
    assert_eq!(copies.map(|copies| copies.len()), Err(PdfDamage::TooMuch));
}

#[test]
fn fonts_that_are_read_for_every_word_are_paid_for() {
    let words = |font: &str| {
        let tree = format!(
            "2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</Contents 4 0 R/Resources<</Font<</F {font}>>>>>>endobj"
        );
        let more = "5 0 obj<</Subtype/Type0/DescendantFonts[<</W[0 65534 1]>>]>>endobj";
        let content = "/F 1 Tf ".repeat(1000);
        format!("{BEGIN}{tree}\n4 0 obj<<>>stream\n{content}\nendstream endobj {more}")
    };
    is_too_much(&words("<</Subtype/Type0/DescendantFonts[<</W[0 65534 1]>>]>>"));
    // The same font, known by its number, is read once.
    looked_at(words("5 0 R").as_bytes()).unwrap();
}

#[test]
fn of_trailers_is_kept_what_is_asked_for() {
    let text = format!("{BEGIN}trailer<</A 1/B 2/Root 1 0 R/C 3>>\ntrailer<</D 1/Root 7 0 R/Encrypt null>>");
    let pdf = Pdf::searched(text.as_bytes()).unwrap();
    assert_eq!((pdf.trailer().0.len(), pdf.trailer().get("Root")), (2, Some(&Object::Reference(7))));
}
