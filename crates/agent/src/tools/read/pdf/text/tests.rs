//! Text of generated pages: characters, gaps, lines, and invalid instructions.

use super::super::file::Pdf;
use super::super::{PdfError, pages};
use super::of_page;

/// The text of a page with this content; objects from 5 on are given.
fn text(content: &str, more: &str) -> Result<String, PdfError> {
    text_of(document(content, more).as_bytes())
}

fn document(content: &str, more: &str) -> String {
    format!(
        "%PDF-1.4 1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]/Resources 4 0 R>>endobj
        3 0 obj<</Contents[9 0 R 10 0 R]>>endobj
        4 0 obj<</Font<</A 5 0 R/B 6 0 R/C<</Subtype/Type1>>>>/XObject<</X 8 0 R>>>>endobj
        9 0 obj<<>>stream\n{content}\nendstream endobj 10 0 obj<<>>stream\n\nendstream endobj {more}"
    )
}

fn text_of(bytes: &[u8]) -> Result<String, PdfError> {
    let mut pdf = Pdf::searched(bytes)?;
    let all = pages::all(&mut pdf)?;
    Ok(of_page(&mut pdf, &all[0])?)
}

const FONTS: &str = "5 0 obj<</Subtype/Type1/Encoding<</Differences[1/H/eacute 33/fi/.notdef]>>
    /FirstChar 97/Widths[600 600]>>endobj
    6 0 obj<</Subtype/Type0/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[<</W[1[500 250]]>>]>>endobj
    7 0 obj<<>>stream\n1 beginbfchar <0001> <65E5> endbfchar 1 beginbfrange <0010> <0013> <0061> endbfrange\nendstream endobj
    8 0 obj<</Subtype/Form/Matrix[1 0 0 1 0 -50]>>stream\nBT /A 10 Tf (in a form) Tj ET /X Do\nendstream endobj";

#[test]
fn letters_are_what_the_font_says() {
    assert_eq!(text(r"BT /A 10 Tf (\001\002 \041sh \042ok) Tj ET", FONTS).unwrap(), "Hé fish ok");
    assert_eq!(text("BT /B 10 Tf <000100100013> Tj <0099> Tj ET", FONTS).unwrap(), "日ad");
    assert_eq!(text("BT /C 1 Tf <A9 20 80 96> Tj ET", FONTS).unwrap(), "© €–");
    assert_eq!(text("BT (no font) Tj /Q 1 Tf (unknown font) Tj ET", FONTS).unwrap(), "");
}

#[test]
fn gaps_are_spaces_and_moves_are_lines() {
    for (content, expected) in [
        ("BT /A 10 Tf [(a) -500 (b) 20 (a) -100 (b)] TJ ET", "a bab"),
        ("BT /A 10 Tf (a) Tj 6 0 Td (b) Tj 20 0 Td (a) Tj ET", "ab a"),
        ("BT /A 10 Tf 12 TL (a) Tj T* (b) Tj (a) ' 0 0 (b) \" ET", "a\nb\na\nb"),
        ("BT /A 10 Tf 1 0 0 1 50 700 Tm (a) Tj 1 0 0 1 50 600 Tm (b) Tj ET", "a\n\nb"),
        ("q 2 0 0 2 0 0 cm BT /A 5 Tf (a) Tj ET Q BT /A 10 Tf 6 0 Td (b) Tj ET", "ab"),
        // Wide character spacing does not separate words.
        ("BT /A 10 Tf 3 Tc (ab) Tj ET", "ab"),
        ("BT /A 10 Tf (a) Tj ET BI /W 1 ID \u{1}(EI)\u{2} EI BT 9 0 Td (b) Tj ET", "a b"),
    ] {
        assert_eq!(text(content, FONTS).unwrap(), expected, "{content}");
    }
    // A drawing that draws itself does so a few times only.
    let found = text("BT /A 10 Tf (a) Tj ET /X Do", FONTS).unwrap();
    assert!(found.starts_with("a\n\nin a form\n"), "{found}");
    assert_eq!(found.matches("in a form").count(), 6);
}

#[test]
fn nonsense_is_left_out() {
    for content in
        ["", ">> ] ) } Tj", "BT /A 10 Tf (a", "Q Q Q Tm 1 2 cm BT /A nan Tf", "(x) Tj 1e999 0 Td ET"]
    {
        assert_eq!(text(content, FONTS).unwrap(), "", "{content}");
    }
    let many = format!("BT /A 10 Tf {}", "q (ab) Tj ".repeat(200_000));
    assert!(text(&many, FONTS).unwrap().len() < 500_000);
}

#[test]
fn no_damage_ends_the_work() {
    let content = "q 2 0 0 2 0 0 cm BT /A 10 Tf 12 TL [(ab) -500 (b)] TJ /B 9 Tf <000100100013> ' ET Q /X Do";
    let whole = document(content, FONTS).into_bytes();
    let mut found = 0;
    for at in 9..whole.len() {
        for change in [b' ', b'9', b'(', b'<', b'[', 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = change;
            found += usize::from(text_of(&bytes).is_ok_and(|text| text.contains("ab")));
        }
        let _ = text_of(&whole[..at]);
    }
    assert!(found > 1000, "most of it can still be read: {found}");
}
