//! NotebookEdit: one cell changes, and every other byte stays.

use annals_agent::tools::{NotebookEdit, Outcome, Read};
use annals_json::Value;

use super::{Arg, Fixture, Text, kept_text, knows, refused, run, shape, shown};

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"kept": 1e2},
   "source": [
    "# Title"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "work",
   "metadata": {},
   "outputs": [{"output_type": "stream", "text": ["7"]}],
   "source": "print(7)"
  }
 ],
 "metadata": {"language_info": {"name": "julia"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

const KEYS: [&str; 9] = [
    "new_source",
    "cell_id",
    "cell_type",
    "language",
    "edit_mode",
    "error",
    "notebook_path",
    "original_file",
    "updated_file",
];

async fn edit(fixture: &Fixture, args: &[(&str, Arg<'_>)]) -> Outcome {
    let mut all = vec![("notebook_path", Text("n.ipynb"))];
    for (key, arg) in args {
        let Text(text) = arg else { continue };
        all.push((key, Text(text)));
    }
    run(&NotebookEdit::new(fixture.context.clone()), &all).await
}

async fn ready(notebook: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("n.ipynb", notebook);
    assert!(!run(&Read::new(fixture.context.clone()), &[("file_path", Text("n.ipynb"))]).await.is_error);
    fixture
}

fn text(fixture: &Fixture) -> String {
    String::from_utf8(fixture.bytes("n.ipynb")).unwrap()
}

#[tokio::test]
async fn a_cell_is_replaced_and_its_output_forgotten() {
    let fixture = ready(NOTEBOOK).await;
    let outcome = edit(&fixture, &[("cell_id", Text("work")), ("new_source", Text("a = 1\nprint(a)"))]).await;
    let expected = NOTEBOOK
        .replace("\"execution_count\": 7", "\"execution_count\": null")
        .replace(r#"[{"output_type": "stream", "text": ["7"]}]"#, "[]")
        .replace("\"print(7)\"", "[\n    \"a = 1\\n\",\n    \"print(a)\"\n   ]");
    assert_eq!(text(&fixture), expected);
    assert_eq!((shape(&outcome), kept_text(&outcome, "language").as_str()), ("NotebookEdit", "julia"));
    assert_eq!(kept_text(&outcome, "original_file"), NOTEBOOK);
    assert_eq!(kept_text(&outcome, "updated_file"), expected);
    knows(&outcome, &KEYS);
}

#[tokio::test]
async fn a_cell_is_inserted_and_taken_out_again() {
    for before in ["intro", "work", ""] {
        let fixture = ready(NOTEBOOK).await;
        let new = [("new_source", Text("new")), ("cell_type", Text("code")), ("edit_mode", Text("insert"))];
        let outcome = edit(&fixture, &[&new[..], &[("cell_id", Text(before))]].concat_args()).await;
        let id = kept_text(&outcome, "cell_id");
        let notebook = text(&fixture);
        let cells = Value::parse(notebook.as_bytes()).unwrap().get("cells").unwrap();
        let ids: Vec<String> =
            cells.items().map(|cell| cell.get("id").unwrap().text().unwrap().decode().into_owned()).collect();
        let expected = match before {
            "intro" => ["intro", &id, "work"],
            "work" => ["intro", "work", &id],
            _ => [&id, "intro", "work"],
        };
        assert_eq!(ids, expected);
        let gone = [("cell_id", Text(&id)), ("edit_mode", Text("delete")), ("new_source", Text(""))];
        edit(&fixture, &gone).await;
        assert_eq!(text(&fixture), NOTEBOOK, "after {before:?}");
    }
}

/// Arguments of two lists in one.
trait Concat<'a> {
    fn concat_args(&self) -> Vec<(&'a str, Arg<'a>)>;
}

impl<'a> Concat<'a> for [&[(&'a str, Arg<'a>)]; 2] {
    fn concat_args(&self) -> Vec<(&'a str, Arg<'a>)> {
        let all = self.iter().flat_map(|list| list.iter());
        all.filter_map(|(key, arg)| if let Text(text) = arg { Some((*key, Text(text))) } else { None })
            .collect()
    }
}

#[tokio::test]
async fn notebooks_of_one_line_and_without_cells_are_edited_too() {
    let fixture = ready(r#"{"cells":[{"cell_type":"code","source":[]}],"nbformat":4}"#).await;
    edit(&fixture, &[("cell_id", Text("cell-0")), ("new_source", Text("x\n\"y\""))]).await;
    assert_eq!(text(&fixture), r#"{"cells":[{"cell_type":"code","source":["x\n", "\"y\""]}],"nbformat":4}"#);
    let gone = [("cell_id", Text("cell-0")), ("edit_mode", Text("delete")), ("new_source", Text(""))];
    edit(&fixture, &gone).await;
    assert_eq!(text(&fixture), r#"{"cells":[],"nbformat":4}"#);
    let new = [("new_source", Text("# A")), ("cell_type", Text("markdown")), ("edit_mode", Text("insert"))];
    let outcome = edit(&fixture, &new).await;
    assert!(text(&fixture).contains("# A") && !outcome.is_error, "{}", shown(&outcome));
    assert!(!text(&fixture).contains("\"id\""), "an id in a notebook that has none");
}

#[tokio::test]
async fn what_cannot_be_is_refused() {
    let fixture = Fixture::new();
    fixture.write("n.ipynb", NOTEBOOK);
    let change = [("cell_id", Text("work")), ("new_source", Text("x"))];
    refused(&edit(&fixture, &change).await, "has not been read yet");
    let fixture = ready(NOTEBOOK).await;
    refused(&edit(&fixture, &[("new_source", Text("x"))]).await, "cell_id is required");
    refused(&edit(&fixture, &[("new_source", Text("x")), ("cell_id", Text("cell-9"))]).await, "no cell");
    refused(&edit(&fixture, &[("new_source", Text("x")), ("edit_mode", Text("insert"))]).await, "cell_type");
    refused(&edit(&fixture, &[("new_source", Text("x")), ("edit_mode", Text("turn"))]).await, "edit_mode");
    let other = [("notebook_path", Text("n.txt")), ("cell_id", Text("a")), ("new_source", Text("x"))];
    refused(&run(&NotebookEdit::new(fixture.context.clone()), &other).await, "not a notebook");
    fixture.write("n.ipynb", NOTEBOOK.replace('7', "8"));
    refused(&edit(&fixture, &change).await, "modified since it was read");
}

#[tokio::test]
async fn a_cell_without_a_source_gets_one() {
    for (notebook, cell, expected) in [
        (
            "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"id\": \"a\"\n  }\n ]\n}",
            "a",
            "{\n \"cells\": [\n  {\n   \"source\": [\n    \"x = 1\"\n   ],\n   \"cell_type\": \"code\",\n   \"id\": \"a\"\n  }\n ]\n}",
        ),
        (
            r#"{"cells":[{"cell_type":"code","outputs":[1]}]}"#,
            "cell-0",
            r#"{"cells":[{"source": ["x = 1"],"cell_type":"code","outputs":[]}]}"#,
        ),
        (r#"{"cells":[{ }]}"#, "cell-0", r#"{"cells":[{"source": ["x = 1"] }]}"#),
    ] {
        let fixture = ready(notebook).await;
        let outcome = edit(&fixture, &[("cell_id", Text(cell)), ("new_source", Text("x = 1"))]).await;
        assert!(!outcome.is_error, "{}", shown(&outcome));
        assert_eq!(String::from_utf8(fixture.bytes("n.ipynb")).unwrap(), expected);
    }
}
