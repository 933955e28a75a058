//! Tool calls of a running conversation, drawn like those of a stored session.

use annals_ui::TerminalText;
use annals_ui::terminal::{LivePage, RenderOptions};
use annals_ui::view::{CallPhase, LiveCall};

use crate::snapshot::check;

fn options() -> RenderOptions<'static> {
    RenderOptions { output_lines: 4, unfold_hint: "", ..RenderOptions::plain(60) }
}

fn message(id: &str, content: &str) -> Vec<u8> {
    let result = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":{content}}}"#);
    format!(r#"{{"role":"user","content":[{result}]}}"#).into_bytes()
}

#[test]
fn a_result_is_drawn_below_its_call_or_with_it() {
    let (mut page, mut out) = (LivePage::default(), TerminalText::default());
    let bash = LiveCall { id: "1", tool: "Bash", input: br#"{"command":"seq 9"}"#, cwd: "/w" };
    let edit = LiveCall { id: "2", tool: "Edit", input: br#"{"file_path":"/w/a.rs"}"#, cwd: "/w" };
    page.draw(&bash.started(), &options(), &mut out);
    let numbers = r#""1\n2\n3\n4\n5\n6\n7\n8\n9""#;
    page.draw(&bash.finished(&message("1", numbers), b"", CallPhase::Finished), &options(), &mut out);
    let patch = br#"{"filePath":"/w/a.rs","oldString":"a","newString":"b","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a","+b"," c"]}]}"#;
    page.draw(&edit.finished(&message("2", "\"ok\""), patch, CallPhase::Whole), &options(), &mut out);
    let odd = LiveCall { id: "3", tool: "Odd", input: b"no json", cwd: "/w" };
    page.draw_nested(&odd.started(), 1, &options(), &mut out);
    check(
        out.as_str(),
        "
● Bash  seq 9
  │ 1
  │ 2
  │ 3
  │ … 5 lines more
  │ 9

● Edit  a.rs  +1 −1
  │ 1 - a
  │ 1 + b
  │ 2   c
  ┊ ● Odd
[EOF]",
    );
}

#[test]
fn an_input_with_line_breaks_is_one_call() {
    let (mut page, mut out) = (LivePage::default(), TerminalText::default());
    let todos = b"{\"todos\":[\n {\"content\":\"Count\",\"status\":\"completed\"},\n {\"content\":\"Measure\",\"status\":\"pending\"}]}";
    let call = LiveCall { id: "1", tool: "TodoWrite", input: todos, cwd: "/w" };
    page.draw(&call.finished(&message("1", "\"ok\""), b"", CallPhase::Whole), &options(), &mut out);
    check(
        out.as_str(),
        "
● TodoWrite
  │ ☑ Count
  │ ☐ Measure
[EOF]",
    );
}
