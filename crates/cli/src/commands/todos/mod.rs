//! `annals todos`: prints todo lists and tasks.

mod set;

use std::path::Path;

use annals_json::{ArrayWriter, Fields, ObjectWriter, Text};
use annals_store::todos::{Todo, TodoList, tasks, todo_lists};
use annals_store::{Discovery, FileProblem, SessionKey, Summary};
use annals_ui::text;
use unicode_width::UnicodeWidthStr;

use crate::args::{TodosArgs, TodosCommand};
use crate::commands::ls::MIN_TITLE;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::{Output, Paint};
use crate::session::ResolvedSession;
use crate::short_ids::ShortIds;
use crate::stores::Stores;
use crate::table::{cut, one_line};

/// A todo list, or the tasks of a session.
struct TodoEntries {
    session: String,
    agent: Option<String>,
    /// `todos` or `tasks`: a session can have both.
    kind: &'static str,
    file: String,
    items: Vec<TodoEntry>,
}

struct TodoEntry {
    text: String,
    status: String,
    /// The object in the file, for its other fields: a list that is read, changed and set again loses none.
    source: Vec<u8>,
}

impl TodoEntry {
    fn new(text: Option<Text<'_>>, status: Option<Text<'_>>, source: &Fields<'_>) -> Self {
        let read = |text: Option<Text<'_>>| text.map(|text| text.to_string()).unwrap_or_default();
        Self { text: read(text), status: read(status), source: source.raw().to_vec() }
    }

    fn write(&self, object: &mut ObjectWriter<'_>) {
        object.string("content", &self.text).string("status", &self.status);
        let Ok((fields, _)) = Fields::scan(&self.source) else { return };
        for field in fields.iter() {
            let key = field.key.decode();
            if key == "content" || key == "status" {
                continue;
            }
            match field.value.text() {
                Some(text) => object.string(&key, &text.decode()),
                None => object.raw(&key, field.value.raw()),
            };
        }
    }

    fn is_open(&self) -> bool {
        self.status != "completed"
    }
}

pub(crate) fn run(args: &TodosArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(TodosCommand::Set(args)) = &args.command {
        return set::run(args, context);
    }
    let wanted = args.session.as_ref().map(|session| ResolvedSession::find(context, session)).transpose()?;
    let (mut lists, problems) = gather(context);
    if let Some(target) = &wanted {
        let config = context.store.config_dir().path();
        // Another store may have the same session.
        lists.retain(|list| {
            list.session == target.key.as_str()
                && (!context.store.are_several() || Path::new(&list.file).starts_with(config))
        });
    }
    if !args.all && wanted.is_none() {
        lists.retain(|list| list.items.iter().any(TodoEntry::is_open));
    }
    if context.json {
        write_json(&lists, &problems, context)?;
    } else {
        draw(&lists, &problems, context)?;
    }
    Ok(match (lists.is_empty(), problems.is_empty()) {
        (_, false) => Outcome::ProblemsFound,
        (true, true) => Outcome::NothingFound,
        (false, true) => Outcome::Done,
    })
}

fn gather(context: &Context) -> (Vec<TodoEntries>, Vec<FileProblem>) {
    let discovery = context.discover_all();
    let (todos, mut problems) = todo_lists(&discovery);
    let (task_files, more) = tasks(&discovery);
    problems.extend(more);
    let of_item = |item: &Todo<'_>| TodoEntry::new(item.content(), item.status(), item.fields());
    let mut lists: Vec<TodoEntries> = Vec::new();
    for list in &todos {
        let (items, more) = list.items();
        problems.extend(more);
        lists.push(TodoEntries {
            session: list.session.to_string(),
            agent: (!TodoList::is_main(list)).then(|| list.agent.to_string()),
            kind: "todos",
            file: list.file.path.display().to_string(),
            items: items.iter().map(of_item).collect(),
        });
    }
    for file in &task_files {
        let task = match file.task() {
            Ok(task) => TodoEntry::new(task.subject(), task.status(), task.fields()),
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let folder = file.file.path.parent().map(|path| path.display().to_string()).unwrap_or_default();
        match lists.iter_mut().find(|list| list.file == folder) {
            Some(list) => list.items.push(task),
            None => {
                let session = file.session.to_string();
                lists.push(TodoEntries {
                    session,
                    agent: None,
                    kind: "tasks",
                    file: folder,
                    items: vec![task],
                });
            }
        }
    }
    (lists, problems)
}

fn draw(lists: &[TodoEntries], problems: &[FileProblem], context: &mut Context) -> std::io::Result<()> {
    let discovery = context.discover_all();
    let ids = ShortIds::new(&discovery, context);
    let (out, stores) = (&mut context.out, &context.store);
    if lists.is_empty() {
        out.line("no open items")?;
    }
    for (at, list) in lists.iter().enumerate() {
        if at > 0 {
            out.line("")?;
        }
        let store = stores.label_of(Path::new(&list.file));
        heading(list, &store, &ids, &discovery, out)?;
        for item in &list.items {
            let (mark, paint) = match (item.status.as_str(), out.unicode) {
                ("completed", true) => ("✔", Paint::Green),
                ("in_progress", true) => ("▶", Paint::Yellow),
                ("completed", false) => ("[x]", Paint::Green),
                ("in_progress", false) => ("[>]", Paint::Yellow),
                (_, true) => ("○", Paint::Dim),
                (_, false) => ("[ ]", Paint::Dim),
            };
            let mark = out.paint(paint, mark);
            out.line(text!["  ", mark, " ", one_line(&item.text)])?;
        }
    }
    for problem in problems {
        let text = out.paint(Paint::Yellow, problem.to_string());
        out.line(text)?;
    }
    Ok(())
}

/// The title of the session, and its id; a session has one list of each kind, and one for each sub-agent.
fn heading(
    list: &TodoEntries,
    store: &str,
    ids: &ShortIds,
    discovery: &Discovery,
    out: &mut Output,
) -> std::io::Result<()> {
    let key = SessionKey::new(list.session.as_str());
    let session = discovery.sessions_named(&key).next();
    let title = session.and_then(|session| Summary::read(session).ok()?.display_title().map(one_line));
    let none = if session.is_some() { "(no prompt)" } else { "(the session is gone)" };
    let agent = list.agent.as_ref().map(|agent| format!(" of sub-agent {agent}")).unwrap_or_default();
    let store = if store.is_empty() { String::new() } else { format!("  {store}") };
    let rest = format!("  {}  {}{agent}{store}", ids.shown(&list.session), list.kind);
    let room = out.table_width.map_or(usize::MAX, |width| width.saturating_sub(rest.width()).max(MIN_TITLE));
    let title = cut(title.as_deref().unwrap_or(none), room, out.unicode);
    let [title, rest] = [out.paint(Paint::Bold, title), out.paint(Paint::Dim, rest)];
    out.line(title + rest)
}

fn write_json(lists: &[TodoEntries], problems: &[FileProblem], context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("lists", |array| {
            lists.iter().for_each(|list| write_list(list, &context.store, array));
        });
        super::check::write_file_problems(object, problems);
    })
}

fn write_list(list: &TodoEntries, stores: &Stores, array: &mut ArrayWriter<'_>) {
    array.object(|object| {
        object.string("session", &list.session).string_or_null("agent", list.agent.as_deref());
        object.string("kind", list.kind);
        object.string("file", &list.file);
        stores.write_name(Path::new(&list.file), object);
        object.array("items", |items| {
            for item in &list.items {
                items.object(|object| item.write(object));
            }
        });
    });
}
