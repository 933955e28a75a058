//! NotebookEdit: replaces, inserts or deletes one cell of a notebook. Every other byte of the file stays.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annals_json::{Fields, Value, write_string};

use super::answer::{at_once, object};
use super::context::ToolContext;
use super::edit::may_edit;
use super::input::Input;
use super::line_limit::first_fitting;
use super::read::{cells_of, language_of};
use super::read_files::Fingerprint;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use annals_policy::EditTool;

const MODES: [&str; 3] = ["replace", "insert", "delete"];
const KINDS: [&str; 2] = ["code", "markdown"];

pub struct NotebookEdit {
    context: Arc<ToolContext>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EditMode {
    Replace,
    Insert,
    Delete,
}

struct NotebookInput {
    path: String,
    cell: Option<String>,
    source: String,
    kind: Option<String>,
    mode: EditMode,
}

impl NotebookInput {
    fn read(input: &Input<'_>) -> Result<Self, InputError> {
        let mode = match input.text_if("edit_mode")?.as_deref() {
            None | Some("replace") => EditMode::Replace,
            Some("insert") => EditMode::Insert,
            Some("delete") => EditMode::Delete,
            Some(other) => {
                return refuse(format!("edit_mode is {other:?}, but must be one of {}.", MODES.join(", ")));
            }
        };
        let kind = input.text_if("cell_type")?;
        if let Some(kind) = kind.as_deref().filter(|kind| !KINDS.contains(kind)) {
            return refuse(format!("cell_type is {kind:?}, but must be code or markdown."));
        }
        let cell = input.text_if("cell_id")?.filter(|cell| !cell.is_empty());
        match mode {
            EditMode::Insert if kind.is_none() => {
                return refuse("cell_type is required to insert a cell.".to_owned());
            }
            EditMode::Replace | EditMode::Delete if cell.is_none() => {
                return refuse("cell_id is required.".to_owned());
            }
            _ => {}
        }
        let source = if mode == EditMode::Delete {
            input.text_if("new_source")?.unwrap_or_default()
        } else {
            input.text("new_source")?
        };
        Ok(Self { path: input.words("notebook_path")?, cell, source, kind, mode })
    }
}

impl NotebookEdit {
    /// The tool for this session.
    pub fn new(context: Arc<ToolContext>) -> Self {
        Self { context }
    }

    fn edit(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let wanted = NotebookInput::read(&Input::scan(input)?)?;
        if Path::new(&wanted.path).extension().is_none_or(|ending| ending != "ipynb") {
            return refuse("The file is not a notebook (.ipynb). Use Edit.".to_owned());
        }
        let resolved = self.context.follow(&wanted.path, agreed)?;
        let Some(bytes) = self.context.look(&resolved.real)? else {
            return refuse("Notebook file does not exist.".to_owned());
        };
        let print = Fingerprint::of(&bytes);
        let extent = may_edit(self.context.read_files.state_of(&resolved.real, &bytes))?;
        let notebook = Notebook::read(&bytes)?;
        let change = notebook.change(&wanted)?;
        let edited = change.apply(&bytes);
        // The result must still be a notebook.
        Notebook::read(&edited)?;
        self.context.change(&resolved.real, Some(print), &edited, extent)?;
        let (original, updated) = (String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&edited));
        let kept = |original: Option<&str>, updated: Option<&str>| {
            object(|kept| {
                kept.string("new_source", &wanted.source)
                    .string("cell_id", &change.cell)
                    .string("cell_type", &change.kind);
                kept.string("language", &notebook.language).string("edit_mode", MODES[wanted.mode as usize]);
                kept.string("error", "").string("notebook_path", &resolved.spelled.display().to_string());
                kept.string_or_null("original_file", original).string_or_null("updated_file", updated);
            })
        };
        let kept = first_fitting(&[&|| kept(Some(&original), Some(&updated)), &|| kept(None, None)]);
        let said = match wanted.mode {
            EditMode::Replace => format!("The cell {} was replaced.", change.cell),
            EditMode::Insert => format!("The cell {} was inserted.", change.cell),
            EditMode::Delete => format!("The cell {} was deleted.", change.cell),
        };
        Ok(Outcome::text(said, kept).changing(resolved.real))
    }
}

/// A notebook, with the positions of its cells in the file.
struct Notebook<'n> {
    bytes: &'n [u8],
    cells: Vec<(String, String, Value<'n>)>,
    list: Range<usize>,
    language: String,
    /// Whether cells have ids.
    has_ids: bool,
}

/// Edits of the file's bytes.
struct NotebookChange {
    cell: String,
    kind: String,
    edits: Vec<(Range<usize>, Vec<u8>)>,
}

impl NotebookChange {
    fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
        for (range, new) in &self.edits {
            out.extend_from_slice(&bytes[at..range.start]);
            out.extend_from_slice(new);
            at = range.end;
        }
        out.extend_from_slice(&bytes[at..]);
        out
    }
}

impl<'n> Notebook<'n> {
    fn read(bytes: &'n [u8]) -> Result<Self, InputError> {
        let none = || InputError("The file is not a notebook: it has no cells.".to_owned());
        let notebook = Value::parse(bytes).ok().and_then(Value::fields).ok_or_else(none)?;
        let list = notebook.get("cells").ok_or_else(none)?;
        let values: Vec<Value<'n>> = list.items().filter(|cell| cell.fields().is_some()).collect();
        let known = cells_of(&notebook).ok_or_else(none)?;
        let has_ids = values.iter().any(|cell| cell.get("id").is_some());
        let cells = known.into_iter().zip(values).map(|(cell, value)| (cell.id, cell.kind, value)).collect();
        let list = place(bytes, list);
        Ok(Self { bytes, cells, list, language: language_of(&notebook), has_ids })
    }

    fn find(&self, id: &str) -> Result<usize, InputError> {
        let by_id = self.cells.iter().position(|(cell, ..)| cell == id);
        let by_number = || id.strip_prefix("cell-")?.parse().ok().filter(|number| *number < self.cells.len());
        by_id.or_else(by_number).ok_or_else(|| InputError(format!("The notebook has no cell {id:?}.")))
    }

    fn change(&self, wanted: &NotebookInput) -> Result<NotebookChange, InputError> {
        let at = wanted.cell.as_deref().map(|id| self.find(id)).transpose()?;
        match (wanted.mode, at) {
            (EditMode::Insert, after) => Ok(self.insert(after, wanted)),
            (EditMode::Delete, Some(at)) => Ok(self.delete(at)),
            (EditMode::Replace, Some(at)) => Ok(self.replace(at, wanted)),
            (_, None) => refuse("cell_id is required.".to_owned()),
        }
    }

    fn replace(&self, at: usize, wanted: &NotebookInput) -> NotebookChange {
        let (id, old_kind, cell) = &self.cells[at];
        let kind = wanted.kind.clone().unwrap_or_else(|| old_kind.clone());
        let indent = self.indent_of(*cell);
        let mut edits: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        let mut set = |key: &str, new: Vec<u8>| match cell.get(key) {
            Some(value) => edits.push((place(self.bytes, value), new)),
            // A cell without a source gets one.
            None if key == "source" => edits.push(self.first_field(*cell, key, &new, &indent)),
            None => {}
        };
        set("source", source(&wanted.source, &indent));
        set("cell_type", quoted(&kind));
        if kind == "code" {
            // The outputs were those of the old code.
            set("outputs", b"[]".to_vec());
            set("execution_count", b"null".to_vec());
        }
        edits.sort_by_key(|(range, _)| range.start);
        NotebookChange { cell: id.clone(), kind, edits }
    }

    /// An edit that adds a field before the others of a cell.
    fn first_field(
        &self,
        cell: Value<'_>,
        key: &str,
        value: &[u8],
        indent: &Option<String>,
    ) -> (Range<usize>, Vec<u8>) {
        let at = place(self.bytes, cell).start + 1;
        let gap = indent.as_ref().map_or(String::new(), |indent| format!("\n{indent} "));
        let is_alone = cell.raw()[1..].trim_ascii_start().starts_with(b"}");
        let comma: &[u8] = if is_alone { b"" } else { b"," };
        (at..at, [gap.as_bytes(), &quoted(key), b": ", value, comma].concat())
    }

    fn insert(&self, after: Option<usize>, wanted: &NotebookInput) -> NotebookChange {
        let kind = wanted.kind.clone().unwrap_or_else(|| "code".to_owned());
        let place_of = |at: usize| place(self.bytes, self.cells[at].2);
        let indent =
            self.cells.first().map_or_else(|| Some("  ".to_owned()), |(_, _, cell)| self.indent_of(*cell));
        let position = after.map_or(0, |at| at + 1);
        let id = self.fresh_id(position, &wanted.source);
        let cell = cell(Some(&id).filter(|_| self.has_ids), &kind, &wanted.source, &indent);
        let gap = indent.as_ref().map_or(Vec::new(), |indent| format!("\n{indent}").into_bytes());
        let (at, new) = match after {
            Some(before) => (place_of(before).end, [b",", &gap[..], &cell].concat()),
            None if self.cells.is_empty() => {
                return NotebookChange {
                    cell: id,
                    kind,
                    edits: vec![(self.list.clone(), [b"[", &gap[..], &cell, b"\n ]"].concat())],
                };
            }
            None => (place_of(0).start, [&cell[..], b",", &gap].concat()),
        };
        NotebookChange {
            cell: if self.has_ids { id } else { format!("cell-{position}") },
            kind,
            edits: vec![(at..at, new)],
        }
    }

    fn delete(&self, at: usize) -> NotebookChange {
        let (id, kind, _) = &self.cells[at];
        let place_of = |at: usize| place(self.bytes, self.cells[at].2);
        // With the comma before it, or after it.
        let range = match (at, at + 1 < self.cells.len()) {
            (0, false) => self.list.start + 1..self.list.end - 1,
            (0, true) => place_of(0).start..place_of(1).start,
            _ => place_of(at - 1).end..place_of(at).end,
        };
        NotebookChange { cell: id.clone(), kind: kind.clone(), edits: vec![(range, Vec::new())] }
    }

    /// The indentation of a cell, if it begins a line.
    fn indent_of(&self, cell: Value<'_>) -> Option<String> {
        let before = &self.bytes[..place(self.bytes, cell).start];
        let line = before.iter().rposition(|byte| *byte == b'\n')?;
        let space = &before[line + 1..];
        space
            .iter()
            .all(|byte| matches!(byte, b' ' | b'\t'))
            .then(|| String::from_utf8_lossy(space).into_owned())
    }

    /// An unused id; the same for the same edit.
    fn fresh_id(&self, position: usize, source: &str) -> String {
        let taken = |id: &String| self.cells.iter().any(|(other, ..)| other == id);
        let id = |salt: usize| {
            format!("{:08x}", Fingerprint::of(format!("{position} {salt} {source}").as_bytes()).short())
        };
        let mut salt = 0;
        while taken(&id(salt)) {
            salt += 1;
        }
        id(salt)
    }
}

/// The position of a value in the bytes that it was parsed from.
fn place(bytes: &[u8], value: Value<'_>) -> Range<usize> {
    let raw = value.raw();
    let start = raw.as_ptr() as usize - bytes.as_ptr() as usize;
    start..start + raw.len()
}

fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, text);
    out
}

/// A source as a JSON list of lines, indented like the notebook.
fn source(text: &str, indent: &Option<String>) -> Vec<u8> {
    let lines: Vec<Vec<u8>> = text.split_inclusive('\n').map(quoted).collect();
    match indent {
        Some(indent) if !lines.is_empty() => {
            let gap = format!("\n{indent}  ");
            let joined = lines.join(format!(",{gap}").as_bytes());
            [b"[", gap.as_bytes(), &joined, format!("\n{indent} ]").as_bytes()].concat()
        }
        _ => [b"[", &lines.join(&b", "[..])[..], b"]"].concat(),
    }
}

fn cell(id: Option<&String>, kind: &str, text: &str, indent: &Option<String>) -> Vec<u8> {
    let mut fields: Vec<(&str, Vec<u8>)> = vec![("cell_type", quoted(kind))];
    if kind == "code" {
        fields.push(("execution_count", b"null".to_vec()));
    }
    if let Some(id) = id {
        fields.push(("id", quoted(id)));
    }
    fields.push(("metadata", b"{}".to_vec()));
    if kind == "code" {
        fields.push(("outputs", b"[]".to_vec()));
    }
    fields.push(("source", source(text, indent)));
    let gap = indent.as_ref().map_or(String::new(), |indent| format!("\n{indent} "));
    let end = indent.as_ref().map_or(String::new(), |indent| format!("\n{indent}"));
    let fields: Vec<Vec<u8>> = fields
        .into_iter()
        .map(|(key, value)| [gap.as_bytes(), &quoted(key), b": ", &value].concat())
        .collect();
    [b"{", &fields.join(&b","[..])[..], end.as_bytes(), b"}"].concat()
}

fn refuse<T>(why: String) -> Result<T, InputError> {
    Err(InputError(why))
}

impl Tool for NotebookEdit {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "NotebookEdit",
            "Edits one cell of a Jupyter notebook: replaces its source, inserts a cell after it, or deletes it. The notebook must have been read before; Read shows the cell ids.",
        )
        .required("notebook_path", ParamType::Text, "Absolute path of the notebook")
        .required("new_source", ParamType::Text, "The new source of the cell")
        .optional("cell_id", ParamType::Text, "The cell; a new one is inserted after it, or first if omitted")
        .optional("cell_type", ParamType::Word(&KINDS), "The kind of cell; required to insert one")
        .optional("edit_mode", ParamType::Word(&MODES), "What to do; default replace")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn forget(&self) {
        self.context.read_files.forget_all();
    }

    fn context(&self) -> Option<&ToolContext> {
        Some(&self.context)
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Edit(EditTool::NotebookEdit, NotebookInput::read(&Input::of(input))?.path))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.edit(input, call.agreed))
    }
}
