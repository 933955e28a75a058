//! Read of every kind of file, and of other paths.

use std::fs;
use std::os::unix::fs::symlink;

use annals_agent::tools::Read;
use annals_json::Value;
use annals_transcript::tool_result::{ReadResult, ToolUseResult};

use super::{Count, Fixture, Text, kept, refused, run, run_agreed, shape, shown};

fn view(value: Value<'_>) -> ReadResult<'_> {
    match ToolUseResult::new(value) {
        ToolUseResult::Read(read) => read,
        other => panic!("{}", other.shape()),
    }
}

#[tokio::test]
async fn a_text_is_numbered_and_kept_plain() {
    let fixture = Fixture::new();
    let path = fixture.write("a.txt", "\u{feff}one\r\ntwo\r\n").display().to_string();
    let outcome = run(&Read::new(fixture.context.clone()), &[("file_path", Text(&path))]).await;
    assert_eq!(shown(&outcome), "     1→one\n     2→two");
    let view = view(kept(&outcome));
    assert_eq!(view.kind().unwrap().decode(), "text");
    let file = view.file().unwrap();
    assert_eq!(
        (file.path().unwrap().decode(), file.content().unwrap().decode()),
        (path.into(), "one\ntwo".into())
    );
    assert_eq!((file.line_count(), file.start_line(), file.total_lines()), (Some(2), Some(1), Some(2)));
}

#[tokio::test]
async fn relative_paths_and_those_of_the_home_are_followed() {
    let fixture = Fixture::new();
    fixture.write("sub/b.txt", "b");
    fixture.temp.write("home/c.txt", "c");
    let read = Read::new(fixture.context.clone());
    assert_eq!(shown(&run(&read, &[("file_path", Text("sub/b.txt"))]).await), "     1→b");
    assert_eq!(shown(&run(&read, &[("file_path", Text("~/c.txt"))]).await), "     1→c");
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    let fixture = Fixture::new();
    fixture.write("program", b"\x7fELF\x02\x01\0\0\0\xff\xfe\0");
    let made = std::process::Command::new("mkfifo").arg(fixture.work().join("pipe")).status().unwrap();
    assert!(made.success());
    symlink("round", fixture.work().join("round")).unwrap();
    let read = Read::new(fixture.context.clone());
    for (path, words) in [
        ("missing.txt", "does not exist"),
        ("no/such/folder.txt", "does not exist"),
        (".", "is a folder"),
        ("program", "is not a text"),
        ("pipe", "not a file that can be opened"),
        ("/dev/zero", "not a file that can be opened"),
        ("/proc/self/environ", "not a file that can be opened"),
        ("round", "too many symbolic links"),
        ("a\0b", "not a path"),
        ("", "is empty"),
    ] {
        refused(&run(&read, &[("file_path", Text(path))]).await, words);
    }
    refused(&run(&read, &[]).await, "`file_path` is missing");
    refused(&run(&read, &[("file_path", Count(3))]).await, "must be a string");
    refused(&run(&read, &[("file_path", Text("x")), ("offset", Text("many"))]).await, "non-negative integer");
}

#[tokio::test]
async fn a_notebook_is_its_cells() {
    let fixture = Fixture::new();
    let notebook = r##"{"cells":[{"cell_type":"markdown","id":"m1","source":["# A\n","b"]},
        {"cell_type":"code","source":"print(1)","outputs":[{"output_type":"stream","text":["1\n"]},
        {"output_type":"error","ename":"E","evalue":"bad"}]}],"metadata":{"language_info":{"name":"python"}}}"##;
    fixture.write("n.ipynb", notebook);
    let outcome = run(&Read::new(fixture.context.clone()), &[("file_path", Text("n.ipynb"))]).await;
    let text = shown(&outcome);
    for part in
        ["<cell id=\"m1\" type=\"markdown\">\n# A\nb\n</cell>", "<cell id=\"cell-1\"", "E: bad", "\n1\n"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let view = view(kept(&outcome));
    assert_eq!(view.file().unwrap().cells().unwrap().count(), 2);
    // What has the name and is none is read as a text.
    fixture.write("broken.ipynb", "{");
    let outcome = run(&Read::new(fixture.context.clone()), &[("file_path", Text("broken.ipynb"))]).await;
    assert_eq!((shown(&outcome), shape(&outcome)), ("     1→{", "Read"));
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_than_agreed_is_not_read() {
    let fixture = Fixture::new();
    let agreed = fixture.write("plain.txt", "plain");
    let secret = fixture.temp.write("outside.txt", "secret");
    fs::remove_file(&agreed).unwrap();
    symlink(&secret, &agreed).unwrap();
    let read = Read::new(fixture.context.clone());
    let outcome = run_agreed(&read, &[("file_path", Text("plain.txt"))], Some(&agreed)).await;
    refused(&outcome, "no longer leads");
    // A link that was agreed on with its target is followed.
    let outcome = run_agreed(&read, &[("file_path", Text("plain.txt"))], Some(&secret)).await;
    assert_eq!(shown(&outcome), "     1→secret");
}

#[tokio::test]
async fn limits_in_quotes_are_limits() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "1\n2\n3\n");
    let args = [("file_path", Text("a.txt")), ("offset", Text("2")), ("limit", Count(1))];
    assert_eq!(shown(&run(&Read::new(fixture.context.clone()), &args).await), "     2→2");
}
