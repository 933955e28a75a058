//! Read of PDF documents: whole or by pages, repaired if damaged, rejected if the API would reject them.

mod hostile;
mod made;

use annals_agent::tools::{Outcome, Read, Tool, ToolContent};
use annals_json::Value;
use annals_transcript::objects::MAX_LINE_BYTES;

use super::pictures::plain;
use super::{Arg, Count, Fixture, Raw, Text, input, kept, refused, run};
use made::{FORMS, Form, Made};

async fn read_with(bytes: &[u8], pages: Option<Arg<'_>>) -> Outcome {
    let fixture = Fixture::new();
    fixture.write("paper.pdf", bytes);
    let mut args = vec![("file_path", Text("paper.pdf"))];
    args.extend(pages.map(|pages| ("pages", pages)));
    run(&Read::new(fixture.context.clone()), &args).await
}

async fn read(bytes: &[u8], pages: &str) -> Outcome {
    read_with(bytes, Some(Text(pages))).await
}

/// What was said of the document, and the document. What is kept is the same one.
fn sent(outcome: &Outcome) -> (String, Vec<u8>) {
    let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("{:?}", outcome.shown) };
    let note = Value::parse(&blocks[0]).unwrap().get("text").unwrap().text().unwrap().to_string();
    let block = Value::parse(&blocks[1]).unwrap();
    assert!(block.get("type").unwrap().text().unwrap().is("document"));
    let source = block.get("source").unwrap();
    assert!(source.get("media_type").unwrap().text().unwrap().is("application/pdf"));
    let data = source.get("data").unwrap().text().unwrap().to_string();
    assert!(kept(outcome).get("type").unwrap().text().unwrap().is("pdf"));
    assert!(kept(outcome).get("file").unwrap().get("base64").unwrap().text().unwrap().is(&data));
    (note, plain(&data))
}

/// The numbers of the pages whose words stand in a document, in the order of the file.
fn pages_in(document: &[u8]) -> Vec<usize> {
    let text = String::from_utf8_lossy(document);
    let number = |part: &str| part.split('.').next().unwrap().parse().unwrap();
    text.split("words of page ").skip(1).map(number).collect()
}

fn times(document: &[u8], word: &str) -> usize {
    String::from_utf8_lossy(document).matches(word).count()
}

#[tokio::test]
async fn a_short_document_goes_out_byte_for_byte() {
    for form in [Form::Table, Form::Packed] {
        let bytes = Made::of(10).file(form);
        let outcome = read_with(&bytes, None).await;
        let (note, document) = sent(&outcome);
        assert_eq!(document, bytes);
        assert!(note.contains("paper.pdf") && note.contains(&bytes.len().to_string()), "{note}");
        let original = kept(&outcome).get("file").unwrap().get("originalSize").unwrap().count();
        assert_eq!(original, Some(bytes.len() as u64));
        // An empty wish is none.
        assert_eq!(sent(&read(&bytes, "").await).1, bytes);
    }
}

#[tokio::test]
async fn pages_are_picked_with_all_that_they_need_and_no_more() {
    for form in FORMS {
        let bytes = Made::of(30).file(form);
        let outcome = read(&bytes, "7,2-4").await;
        let (note, document) = sent(&outcome);
        assert!(note.ends_with("pages 7, 2-4 of 30"), "{form:?}: {note}");
        assert_eq!(pages_in(&document), [7, 2, 3, 4], "{form:?}");
        for (word, count) in [
            ("/Type/Page/", 0),
            ("/Type /Page/", 4),
            ("/Parent 2 0 R", 4),
            ("/Count 4", 1),
            ("/MediaBox [0 0 300 400 ]", 4),
            ("/BaseFont /Helvetica", 1),
            ("/Link", 4),
            ("/Dest", 0),
            ("/StructParents", 0),
            ("/Outlines", 0),
        ] {
            assert_eq!(times(&document, word), count, "{form:?}: {word}");
        }
        let original = kept(&outcome).get("file").unwrap().get("originalSize").unwrap().count();
        assert_eq!(original, Some(bytes.len() as u64), "that of the file");
        // What was made can be read as any other, and its parts are where it says.
        let again = read_with(&document, None).await;
        assert_eq!(sent(&again).1, document, "{form:?}");
        assert_eq!(pages_in(&sent(&read(&document, "3-").await).1), [3, 4]);
    }
}

#[tokio::test]
async fn what_is_damaged_is_written_anew() {
    for form in [Form::Astray, Form::Lost] {
        let bytes = Made::of(5).file(form);
        let (_, document) = sent(&read_with(&bytes, None).await);
        assert_ne!(document, bytes);
        assert_eq!(
            (pages_in(&document), times(&document, "startxref")),
            (vec![1, 2, 3, 4, 5], 1),
            "{form:?}"
        );
    }
    // The end of the file is missing: what is left is shown.
    let mut bytes = Made::of(8).file(Form::Table);
    let at = String::from_utf8(bytes.clone()).unwrap().find("words of page 6").unwrap();
    bytes.truncate(at);
    let tree = b"\nendstream endobj 36 0 obj<</Type/Pages/Kids[4 0 R 8 0 R]>>endobj";
    bytes.extend_from_slice(tree);
    assert_eq!(pages_in(&sent(&read_with(&bytes, None).await).1), [1, 2]);
}

#[tokio::test]
async fn the_newest_of_two_revisions_counts() {
    let mut bytes = Made::of(3).file(Form::Table);
    let old = String::from_utf8(bytes.clone()).unwrap();
    let previous: usize = old.split("startxref\n").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let at = bytes.len();
    let words = made::stream("", b"BT (words of page 99.) Tj ET");
    bytes.extend(b"9 0 obj\n".iter().chain(&words).chain(b"\nendobj\n"));
    let start = bytes.len();
    bytes.extend(format!("xref\n9 1\n{at:010} 00000 n \n").bytes());
    bytes.extend(
        format!("trailer\n<</Size 18/Root 1 0 R/Prev {previous}>>\nstartxref\n{start}\n%%EOF").bytes(),
    );
    assert_eq!(pages_in(&sent(&read(&bytes, "1-3").await).1), [1, 99, 3]);
}

#[tokio::test]
async fn what_cannot_be_shown_says_what_can() {
    let long = Made::of(30).file(Form::Table);
    refused(&read_with(&long, None).await, "has 30 pages");
    refused(&read_with(&long, None).await, "\"1-5\"");
    refused(&read(&long, "1-21").await, "At most 20 pages");
    refused(&read(&long, "2-").await, "has 30");
    refused(&read(&long, "29-31").await, "No page 31: the PDF has pages 1 to 30");
    refused(&read(&long, "31").await, "pages 1 to 30");
    assert_eq!(pages_in(&sent(&read(&long, "11-30").await).1).len(), 20);
    assert_eq!(pages_in(&sent(&read_with(&long, Some(Count(12))).await).1), [12]);
    refused(&read_with(&long, Some(Raw("[1]"))).await, "`pages` must be a string");
}

#[tokio::test]
async fn wrong_pages_are_refused_before_anything_runs() {
    let fixture = Fixture::new();
    let tool = Read::new(fixture.context.clone());
    for pages in ["0", "x", "3-1", "1,,2", "-2"] {
        let input = input(&[("file_path", Text("a.pdf")), ("pages", Text(pages))]);
        let asked = tool.call(&Value::parse(&input).unwrap().fields().unwrap());
        assert!(asked.unwrap_err().0.contains("\"2,4-6\""), "{pages}");
    }
}

#[tokio::test]
async fn what_is_encrypted_is_refused() {
    for form in [Form::Table, Form::Packed] {
        let made = Made { trailer: "/Encrypt<</Filter/Standard/V 2>>".to_owned(), ..Made::of(2) };
        refused(&read_with(&made.file(form), None).await, "encrypted");
        refused(&read(&made.file(form), "1").await, "encrypted");
    }
}

/// A document whose pages have a picture of that many bytes together, and words.
fn heavy(bytes: usize, words: &str) -> Vec<u8> {
    let mut made = Made::of(3);
    made.objects[2] = b"<</Subtype/Type1>>".to_vec();
    let picture = made.put(made::stream("/Subtype/Image", &vec![b'.'; bytes]));
    made.objects[1] = String::from_utf8(made.objects[1].clone())
        .unwrap()
        .replace("/Font<<", &format!("/XObject<</P {picture} 0 R>>/Font<<"))
        .into_bytes();
    made.objects[4] = made::stream("", format!("BT /F 12 Tf ({words}) Tj ET").as_bytes());
    made.file(Form::Table)
}

#[tokio::test]
async fn what_is_too_large_is_shown_as_text() {
    let bytes = heavy(8 << 20, "words of a large page");
    let outcome = read(&bytes, "1").await;
    let text = super::shown(&outcome);
    assert!(!outcome.is_error);
    assert!(text.starts_with("<page number=\"1\">\nwords of a large page\n</page>\n"), "{text}");
    assert!(text.contains("without images"), "{text}");
    let file = kept(&outcome).get("file").unwrap();
    assert!(kept(&outcome).get("type").unwrap().text().unwrap().is("text"));
    assert_eq!(file.get("numLines").unwrap().count(), Some(3));
    let all = read_with(&bytes, None).await;
    assert!(super::shown(&all).contains("<page number=\"3\">\nwords of page 3.\n"));
    refused(&read(&heavy(8 << 20, ""), "1").await, "Request fewer pages");
    refused(&read(&heavy(8 << 20, &"long ".repeat(30_000)), "1").await, "their text alone is 1");
    // As much as fits goes as a document, in a line that can be opened: without the copy where both are too much.
    let outcome = read(&heavy(6 << 20, ""), "2").await;
    let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("no blocks") };
    assert!(blocks[1].len() > 8 << 20 && blocks[1].len() + outcome.kept.len() < MAX_LINE_BYTES);
    assert!(kept(&outcome).get("file").unwrap().get("base64").unwrap().text().unwrap().is(""));
    let outcome = read(&heavy(3 << 20, ""), "2").await;
    assert_eq!(pages_in(&sent(&outcome).1), [2]);
    let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("no blocks") };
    assert!(blocks[1].len() + outcome.kept.len() < MAX_LINE_BYTES);
}

#[tokio::test]
async fn what_was_filled_in_and_hidden_stays_so() {
    let mut made = Made::of(3);
    let field = made.objects.len() + 1;
    let (here, elsewhere) = (field + 1, field + 2);
    made.put(format!("<</FT/Tx/T(name)/V(filled in)/Kids[{here} 0 R {elsewhere} 0 R]>>"));
    made.put(format!("<</Subtype/Widget/Rect[0 0 9 9]/P 4 0 R/Parent {field} 0 R/AP<</N 5 0 R>>>>"));
    made.put(format!("<</Subtype/Widget/Rect[7 7 8 8]/P 8 0 R/Parent {field} 0 R>>"));
    let layer = made.put("<</Type/OCG/Name(layer)>>");
    made.objects[0] = format!(
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{field} 0 R]/DA(/F 9 Tf)>>/OCProperties<</OCGs[{layer} 0 R]/D<</OFF[{layer} 0 R]>>>>>>"
    )
    .into_bytes();
    let page = String::from_utf8(made.objects[3].clone()).unwrap();
    made.objects[3] = page.replace("/Annots[", &format!("/Annots[{here} 0 R ")).into_bytes();
    for form in FORMS {
        let (_, document) = sent(&read(&made.file(form), "1").await);
        for (word, count) in [
            ("(filled in)", 1),
            ("/Rect [0 0 9 9 ]", 2),
            ("/Rect [7 7 8 8 ]", 0),
            ("/Kids", 1),
            ("/DA (/F 9 Tf)", 1),
            ("/Fields []", 1),
            ("(layer)", 1),
            ("/OFF [", 1),
        ] {
            assert_eq!(times(&document, word), count, "{form:?}: {word}");
        }
        assert_eq!(pages_in(&document), [1], "{form:?}");
    }
}
