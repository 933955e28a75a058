//! Images and documents in a conversation: sent, written, read and sent again; and dropped if they are too large.

use annals_agent::protocol::Event;
use annals_transcript::objects::MAX_LINE_BYTES;

use super::{Stage, say};

const END: &str = r#"[{"type":"text","text":"seen"}]"#;
const TOO_LARGE: &str =
    r#""status":413,"error":"request_too_large","message":"Request exceeds the maximum size""#;

fn read(input: &str) -> String {
    format!(r#"{{"type":"tool_use","name":"Read","input":{{{input}}}}}"#)
}

/// A picture that must be scaled and a document that must be cut, where the work is.
fn lay_out(stage: &Stage) {
    let work = stage.home.work_dir();
    let pixels: Vec<u8> = (0..70).flat_map(|y| (0..2100_u32).flat_map(move |x| [x as u8, y, 7])).collect();
    let mut picture = png::Encoder::new(std::fs::File::create(work.join("picture.png")).unwrap(), 2100, 70);
    picture.set_color(png::ColorType::Rgb);
    picture.write_header().unwrap().write_image_data(&pixels).unwrap();
    let kids: String = (0..30).map(|page| format!("{} 0 R ", 10 + page)).collect();
    let pages: String = (0..30).map(|page| format!("{} 0 obj<</Number {page}>>endobj ", 10 + page)).collect();
    let text = format!(
        "%PDF-1.4 1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[{kids}]>>endobj {pages}"
    );
    std::fs::write(work.join("paper.pdf"), text).unwrap();
}

#[tokio::test]
async fn what_was_shown_is_shown_again_after_the_file_was_read_again() {
    let calls = [
        read(r#""file_path":"picture.png""#),
        read(r#""file_path":"paper.pdf","pages":"4-6""#),
        read(r#""file_path":"paper.pdf""#),
    ];
    let stage = Stage::new(&format!("[{}],{END},{END}", calls.join(",")));
    lay_out(&stage);
    let told = stage.turn().await;
    assert!(told.is_done(), "{:?}", told.finished);
    stage.only_grew();
    let shown = stage.sent()[1][2].clone();
    for part in [
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":""#,
        r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":""#,
        "2100 x 70 pixels",
        "pages 4-6 of 30",
        "has 30 pages",
    ] {
        assert!(shown.contains(part), "{part} is not in {}", &shown[..shown.len().min(2000)]);
    }
    let mut agent = stage.resumed();
    assert!(say(&mut agent, "and again @@a@@").await.is_done());
    drop(agent);
    stage.only_grew();
    stage.holds();
    assert_eq!(stage.sent()[2][2], shown);
    let file = std::fs::read_to_string(stage.file()).unwrap();
    assert!(file.contains(r#""dimensions":{"originalWidth":2100,"originalHeight":70,"displayWidth":2000,"#));
    assert!(file.contains(r#""toolUseResult":{"type":"pdf","file":{"filePath":""#));
}

#[tokio::test]
async fn what_is_too_large_is_summed_up_without_its_pictures() {
    // The answer to the result and the first request for a summary are refused.
    let summary = r#"[{"type":"text","text":"there was a picture"}]"#;
    let stage = Stage::new(&format!(
        r#"[{}],{{{TOO_LARGE},"times":2,"content":{summary}}},{END}"#,
        read(r#""file_path":"picture.png""#)
    ));
    lay_out(&stage);
    let told = stage.turn().await;
    assert!(told.is_done(), "{:?} {:?}", told.finished, told.notices());
    assert!(told.events.iter().any(|event| matches!(event, Event::Compacted { .. })), "{:?}", told.events);
    let sent = stage.sent();
    let has_picture = |at: usize| sent[at].concat().contains(r#""type":"image""#);
    assert_eq!((1..sent.len()).map(has_picture).collect::<Vec<_>>(), [true, true, false, false]);
    assert!(sent[3].concat().contains(r#"{"type":"text","text":"[a picture]"}"#), "{:#?}", sent[3]);
    assert!(sent[4].concat().contains("there was a picture"));
}

#[tokio::test]
async fn more_than_a_request_takes_is_summed_up_before_it_is_sent() {
    let summary = r#"[{"type":"text","text":"there were documents"}]"#;
    let calls = [r#""file_path":"large.pdf","pages":"1""#; 4].map(read);
    let stage = Stage::new(&format!("[{}],{summary},{END}", calls.join(",")));
    // Four of these have more than the 32 MB of a request, and none of them too much for a line.
    let large = format!(
        "%PDF-1.4 1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</Contents 4 0 R>>endobj
        4 0 obj<</Length 6800000>>stream\n{}\nendstream endobj",
        ".".repeat(6_800_000)
    );
    std::fs::write(stage.home.work_dir().join("large.pdf"), large).unwrap();
    let mut agent = stage.new_agent();
    let told = say(&mut agent, "do @@a@@").await;
    assert!(told.is_done(), "{:?} {:?}", told.finished.ending, told.notices());
    let file = std::fs::read(stage.file()).unwrap();
    let longest = file.split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap();
    assert!(longest > 9_000_000 && longest < MAX_LINE_BYTES, "{longest}");
    let sent = stage.sent();
    assert_eq!(sent.len(), 3, "nothing that is too large was sent");
    assert_eq!(sent[1].concat().matches("[a document]").count(), 4);
    assert!(sent[2].concat().contains("there were documents"));
}
