//! Shows the cells of a notebook with their outputs.

use annals_json::{ArrayWriter, Fields, Value};

use crate::tools::answer::object;
use crate::tools::{InputError, Outcome};

/// The most characters of one output.
const MAX_OUTPUT_CHARS: usize = 10_000;
/// The most bytes of an answer.
const MAX_BYTES: usize = 100_000;

/// A cell of a notebook.
pub(crate) struct Cell {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) source: String,
    outputs: Vec<String>,
}

/// The cells of a notebook; `None` if it is not one.
pub(crate) fn cells_of(notebook: &Fields<'_>) -> Option<Vec<Cell>> {
    let cells = notebook.get("cells").filter(|cells| cells.raw().starts_with(b"["))?;
    let read = |(number, value): (usize, Value<'_>)| {
        let cell = value.fields()?;
        let text = |key: &str| cell.text(key).map(|text| text.decode().into_owned());
        let outputs = cell.get("outputs").into_iter().flat_map(Value::items).filter_map(printed).collect();
        Some(Cell {
            id: text("id").unwrap_or_else(|| format!("cell-{number}")),
            kind: text("cell_type").unwrap_or_else(|| "code".to_owned()),
            source: cell.get("source").map(joined).unwrap_or_default(),
            outputs,
        })
    };
    Some(cells.items().enumerate().filter_map(read).collect())
}

/// The language of a notebook's code.
pub(crate) fn language_of(notebook: &Fields<'_>) -> String {
    let named = notebook.object("metadata").and_then(|metadata| {
        let of = |part: &str, key: &str| Some(metadata.object(part)?.text(key)?.decode().into_owned());
        of("language_info", "name").or_else(|| of("kernelspec", "language"))
    });
    named.unwrap_or_else(|| "python".to_owned())
}

/// A text, or a list of its lines.
fn joined(value: Value<'_>) -> String {
    match value.text() {
        Some(text) => text.decode().into_owned(),
        None => value.items().filter_map(|line| Some(line.text()?.decode().into_owned())).collect(),
    }
}

fn printed(output: Value<'_>) -> Option<String> {
    let output = output.fields()?;
    let data = || output.object("data").and_then(|data| data.get("text/plain").map(joined));
    let error = || {
        let (name, value) = (output.text("ename")?.decode(), output.text("evalue")?.decode());
        Some(format!("{name}: {value}"))
    };
    let text = output.get("text").map(joined).or_else(data).or_else(error)?;
    let end = text.char_indices().nth(MAX_OUTPUT_CHARS).map(|(at, _)| at);
    Some(end.map_or(text.clone(), |end| format!("{}\n[cut: the output is longer]", &text[..end])))
}

/// Shows a notebook; `None` if the file is not one.
pub(super) fn show(path: &str, bytes: &[u8]) -> Option<Result<Outcome, InputError>> {
    let notebook = Value::parse(bytes).ok()?.fields()?;
    let cells = cells_of(&notebook)?;
    let language = language_of(&notebook);
    let mut shown = String::new();
    for cell in &cells {
        shown.push_str(&format!(
            "<cell id=\"{}\" type=\"{}\">\n{}\n</cell>\n",
            cell.id, cell.kind, cell.source
        ));
        for output in &cell.outputs {
            shown.push_str(&format!("<output of=\"{}\">\n{output}\n</output>\n", cell.id));
        }
    }
    if shown.len() > MAX_BYTES {
        return Some(Err(InputError(format!(
            "The notebook is too long to show ({} bytes of cells; {MAX_BYTES} fit). Extract single cells from it with a program through Bash.",
            shown.len()
        ))));
    }
    let kept = object(|kept| {
        kept.string("type", "notebook").object("file", |file| {
            file.string("filePath", path).array("cells", |list| write_cells(list, &cells, &language));
        });
    });
    Some(Ok(Outcome::text(
        if cells.is_empty() { "The notebook has no cells.".to_owned() } else { shown },
        kept,
    )))
}

fn write_cells(list: &mut ArrayWriter<'_>, cells: &[Cell], language: &str) {
    for cell in cells {
        list.object(|item| {
            item.string("cellType", &cell.kind).string("source", &cell.source).string("cell_id", &cell.id);
            if cell.kind == "code" {
                item.string("language", language);
            }
        });
    }
}
