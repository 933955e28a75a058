//! How each client finds the records of a file: by line, by trimmed line, or as a stream of values. What the clients sent for
//! these very files was recorded.

use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

/// The lines of ten messages in turns.
fn lines() -> Vec<String> {
    (0..10)
        .map(|number| {
            let uuid = |number: usize| format!("\"00000000-0000-4000-8000-{number:012}\"");
            let parent = if number == 0 { "null".to_owned() } else { uuid(number - 1) };
            let message = match number % 2 {
                0 => format!(r#""type":"user","message":{{"role":"user","content":"prompt {number}"}}"#),
                _ => format!(
                    r#""type":"assistant","message":{{"id":"msg_{number}","type":"message","role":"assistant","content":[{{"type":"text","text":"reply {number}"}}]}}"#
                ),
            };
            format!(
                r#"{{"parentUuid":{parent},"isSidechain":false,"sessionId":"s",{message},"uuid":{},"timestamp":"2026-01-01T00:{:02}:{:02}.000Z"}}"#,
                uuid(number),
                number * 20 / 60,
                number * 20 % 60
            )
        })
        .collect()
}

/// The same record over many lines, each key on one.
fn pretty(line: &str) -> String {
    line.replace(",\"", ",\n  \"").replacen('{', "{\n  ", 1)
}

/// How many messages 2.1.325, 2.1.112 and 2.0.76 send; `None` if they refuse the file.
type Sent = [Option<usize>; 3];

fn check(name: &str, file: impl AsRef<[u8]>, expected: Sent) {
    let transcript = Transcript::parse(file.as_ref());
    let sent = [Client::V2_1_325, Client::V2_1_112, Client::V2_0_76]
        .map(|client| resume(&transcript, client).outcome.ok().map(|messages| messages.len()));
    assert_eq!(sent, expected, "{name}");
}

/// A file with other lines in place of one.
fn with(at: usize, replacement: &[&str]) -> String {
    let mut lines = lines();
    lines.splice(at..=at, replacement.iter().map(|&line| line.to_owned()));
    lines.join("\n") + "\n"
}

/// The file without its sixth line, where what replaced the fifth has it, too.
fn without_repeated(file: String) -> String {
    let sixth = format!("\n{}\n", lines()[5]);
    let at = file.rfind(&sixth).unwrap();
    format!("{}{}", &file[..at], &file[at + sixth.len() - 1..])
}

/// A file with more lines before the fifth.
fn between(more: &[&str]) -> String {
    let lines = lines();
    with(4, &more.iter().copied().chain([lines[4].as_str()]).collect::<Vec<_>>())
}

const ALL: Sent = [Some(10), Some(10), Some(10)];

#[test]
fn records_over_several_lines_are_for_the_newest_client_alone() {
    let lines = lines();
    let all: Vec<_> = lines.iter().map(|line| pretty(line)).collect();
    check("all", all.join("\n") + "\n", [Some(10), None, None]);
    check("crlf", (all.join("\n") + "\n").replace('\n', "\r\n"), [Some(10), None, None]);
    check("blank lines inside", (all.join("\n") + "\n").replace('\n', "\n\n"), [Some(10), None, None]);
    check("one", with(4, &[&pretty(&lines[4])]), [Some(10), Some(5), Some(5)]);
    check("more behind it", without_repeated(with(4, &[&(pretty(&lines[4]) + &lines[5])])), [Some(4); 3]);
    check("a line break in a text", with(4, &[&lines[4].replace("prompt 4", "pro\nmpt 4")]), [Some(5); 3]);
}

#[test]
fn a_line_that_breaks_off_can_take_others_with_it() {
    let lines = lines();
    for torn in ["{\"type\":\"user\",\"message\":", "{\"x\":[", "{\"x\":\"abc", "["] {
        check(torn, between(&[torn]), ALL);
    }
    check("garbage", between(&["garbage", "}", "]", ","]), ALL);
    // The value that begins there is completed by the lines that follow, or not before the file ends.
    check("inside an object", with(4, &["{\"x\":[", &lines[4], "]}"]), [Some(5), Some(10), Some(10)]);
    check(
        "two inside",
        without_repeated(with(4, &["{\"x\":[", &(lines[4].clone() + ","), &lines[5], "]}"])),
        [Some(4), Some(5), Some(5)],
    );
    check("to the end", with(8, &["{\"type\":\"user\",\"message\":"]), [Some(8), Some(1), Some(1)]);
    let end = [&lines[..4], &["[".to_owned(), lines[4].clone()]].concat().join("\n") + "\n";
    check("a list to the end", end, [Some(4), Some(6), Some(6)]);
}

#[test]
fn other_forms_of_json() {
    let lines = lines();
    check("a list, one a line", format!("[\n{}\n]\n", lines.join(",\n")), [None, Some(1), Some(1)]);
    check("a list", format!("[{}]\n", lines.join(",\n")), [None, None, None]);
    check("a list on one line", format!("[{}]\n", lines.join(",")), [None, None, None]);
    check("commas", lines.join(",\n") + "\n", [Some(10), Some(1), Some(1)]);
    check("something behind", with(4, &[&(lines[4].clone() + " trailing")]), [Some(10), Some(5), Some(5)]);
    check("two on a line", without_repeated(with(4, &[&(lines[4].clone() + &lines[5])])), [Some(4); 3]);
    check("a log", lines.iter().map(|line| format!("12:00 INFO {line}\n")).collect::<String>(), [None; 3]);
    let wide: Vec<u8> = lines.join("\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    check("UTF-16", wide, [None; 3]);
    check("carriage returns", lines.join("\r") + "\r", [Some(2), None, None]);
}

#[test]
fn white_space_that_json_does_not_know() {
    let lines = lines();
    let each = |before: &str, after: &str| -> String {
        lines.iter().map(|line| format!("{before}{line}{after}\n")).collect()
    };
    check("space", each(" \t", " \t"), ALL);
    check("blank lines", each("", "\n"), ALL);
    check("byte order marks", each("\u{feff}", ""), [Some(2), Some(10), Some(2)]);
    check("one byte order mark", with(4, &[&format!("\u{feff}{}", lines[4])]), [Some(5), Some(10), Some(5)]);
    for space in ["\u{a0}", "\u{2028}", "\u{b}"] {
        check(space, each(space, ""), [None, Some(10), None]);
    }
    check("behind", each("", "\u{a0}"), [Some(10), Some(10), None]);
}

#[test]
fn a_line_that_is_null_ends_the_file_for_one_client() {
    check("values", between(&["\"hello\"", "42", "true"]), ALL);
    check("null", between(&["null"]), [Some(10), Some(4), Some(10)]);
}

#[test]
fn deep_nesting_is_read() {
    let lines = lines();
    for depth in [600, 5_000, 100_000] {
        let deep = "[".repeat(depth) + &"]".repeat(depth);
        let line = lines[4].replacen('{', &format!("{{\"extra\":{deep},"), 1);
        // 2.0.76 gives up on such a line, for want of stack.
        check(&depth.to_string(), with(4, &[&line]), ALL);
    }
}

/// The lines in another order, and a record that names one of them as the leaf.
fn reordered(order: &[usize], leaf: Option<usize>) -> String {
    let lines = lines();
    let named = leaf.map(|leaf| {
        format!("{{\"type\":\"last-prompt\",\"leafUuid\":\"00000000-0000-4000-8000-{leaf:012}\",\"sessionId\":\"s\"}}\n")
    });
    let order: String = order.iter().map(|&line| format!("{}\n", lines[line])).collect();
    order + named.as_deref().unwrap_or_default()
}

#[test]
fn lines_in_another_order() {
    let backwards = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
    let end_backwards = [0, 1, 2, 3, 4, 5, 9, 8, 7, 6];
    check("backwards", reordered(&backwards, None), ALL);
    check("mixed", reordered(&[3, 0, 8, 1, 9, 5, 2, 7, 4, 6], None), ALL);
    // With a named leaf the newest client does not look for descendants of the last line.
    check("backwards, 0", reordered(&backwards, Some(0)), [Some(2), Some(10), Some(10)]);
    check("backwards, 5", reordered(&backwards, Some(5)), [Some(6), Some(10), Some(10)]);
    check("backwards, 9", reordered(&backwards, Some(9)), ALL);
    for leaf in [2, 6] {
        check("end backwards", reordered(&end_backwards, Some(leaf)), [Some(8), Some(10), Some(10)]);
    }
    check("end backwards, 7", reordered(&end_backwards, Some(7)), [Some(8), Some(10), Some(10)]);
}

#[test]
fn progress_links_only_what_comes_after_it() {
    let lines = lines();
    let progress = |id: usize, parent: &str| {
        format!(
            r#"{{"type":"progress","uuid":"p{id}","parentUuid":"{parent}","sessionId":"s","timestamp":"2026-01-01T00:01:20.500Z"}}"#
        )
    };
    let above = "00000000-0000-4000-8000-000000000004";
    let below = |id: usize| lines[5].replace(above, &format!("p{id}"));
    let sent = |lines: &[String]| {
        let transcript = lines.join("\n");
        let transcript = Transcript::parse(transcript.as_bytes());
        [Client::V2_1_325, Client::V2_1_112].map(|client| resume(&transcript, client).messages().len())
    };
    let file = |between: &[String]| [&lines[..5], between, &lines[6..]].concat();
    assert_eq!(sent(&file(&[progress(1, above), below(1)])), [10, 10]);
    assert_eq!(sent(&file(&[progress(1, above), progress(2, "p1"), below(2)])), [10, 10]);
    assert_eq!(sent(&file(&[below(1), progress(1, above)])), [5, 5]);
    assert_eq!(sent(&file(&[progress(2, "p1"), progress(1, above), below(2)])), [5, 5]);
}
