//! Any graph: every client terminates quickly, and the result is JSON.

use annals_json::Value;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

fn every_client_answers(file: &[u8]) {
    let transcript = Transcript::parse(file);
    for &client in Client::ALL {
        let mut json = Vec::new();
        resume(&transcript, client).write_json(&mut json);
        assert!(Value::parse(&json).is_ok(), "{client}");
    }
}

fn line(kind: &str, uuid: usize, parent: &str, second: usize, more: &str) -> String {
    let placement = annals_transcript::time::format_millis(1_793_491_200_000 + second as i64 * 1000);
    format!(r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"timestamp":"{placement}",{more}}}"#)
        + "\n"
}

/// A generator of numbers that is the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

#[test]
fn random_graphs() {
    let mut dice = Dice(7);
    for round in 0..400 {
        let count = 1 + dice.roll(30);
        let mut file = String::new();
        for _ in 0..count {
            let kind = ["user", "assistant", "system", "attachment", "progress", "last-prompt"][dice.roll(6)];
            let parent =
                if dice.roll(6) == 0 { "null".to_owned() } else { format!("\"{}\"", dice.roll(count)) };
            let (a, b, c) = (dice.roll(4), dice.roll(count), dice.roll(count));
            let block = [
                format!(r#"{{"type":"tool_use","id":"{a}"}}"#),
                format!(r#"{{"type":"tool_result","tool_use_id":"{a}"}}"#),
                r#"{"type":"text","text":" "}"#.to_owned(),
                r#"{"type":"thinking","thinking":"x"}"#.to_owned(),
            ];
            let kept =
                format!(r#"{{"preservedSegment":{{"headUuid":"{b}","anchorUuid":"{a}","tailUuid":"{c}"}}}}"#);
            let more = format!(
                r#""isSidechain":{},"leafUuid":"{b}","subtype":"compact_boundary","compactMetadata":{kept},"attachment":{{"type":"file"}},"message":{{"id":"m{a}","content":[{}]}}"#,
                dice.roll(8) == 0,
                block[dice.roll(4)]
            );
            file.push_str(&line(kind, dice.roll(count), &parent, dice.roll(9), &more));
        }
        assert!(!file.is_empty(), "{round}");
        every_client_answers(file.as_bytes());
    }
}

/// Shapes that make a careless walk quadratic: at this size that would take minutes.
const MANY: usize = 60_000;

#[test]
fn long_runs_stay_linear() {
    let text = |id: usize| format!(r#""message":{{"id":"m{id}","content":[{{"type":"text","text":"x"}}]}}"#);
    let shapes: [fn(usize) -> (String, usize); 6] = [
        // One long chain; every parent missing at one moment; a star; a long chain of progress; all ids the same;
        // a chain whose lines all stand before their parents.
        |at| (at.checked_sub(1).map_or("null".to_owned(), |before| format!("\"{before}\"")), at),
        |at| (format!("\"gone{at}\""), 0),
        |_| ("\"0\"".to_owned(), 0),
        |at| (at.checked_sub(1).map_or("null".to_owned(), |before| format!("\"{before}\"")), 0),
        |_| ("\"0\"".to_owned(), 1),
        |at| (format!("\"{}\"", at + 1), MANY - at),
    ];
    for (number, shape) in shapes.iter().enumerate() {
        let mut file = String::new();
        for at in 0..MANY {
            let (parent, second) = shape(at);
            let kind = match number {
                3 if at + 1 < MANY => "progress",
                _ if at % 2 == 0 => "user",
                _ => "assistant",
            };
            let uuid = if number == 4 { 0 } else { at };
            file.push_str(&line(kind, uuid, &parent, second, &text(at)));
        }
        every_client_answers(file.as_bytes());
    }
}

#[test]
fn a_long_run_of_tools_stays_linear() {
    let mut file = String::new();
    for at in 0..MANY {
        let parent = at.checked_sub(1).map_or("null".to_owned(), |before| format!("\"{before}\""));
        let (kind, content) = match at % 2 {
            0 if at > 0 => ("user", format!(r#"{{"type":"tool_result","tool_use_id":"{}"}}"#, at - 1)),
            0 => ("user", r#"{"type":"text","text":"go"}"#.to_owned()),
            _ => ("assistant", format!(r#"{{"type":"tool_use","id":"{at}"}}"#)),
        };
        file.push_str(&line(
            kind,
            at,
            &parent,
            at,
            &format!(r#""message":{{"id":"m{at}","content":[{content}]}}"#),
        ));
    }
    every_client_answers(file.as_bytes());
}
