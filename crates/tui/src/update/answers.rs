//! What comes back from the world.

use std::path::PathBuf;

use crate::app::{App, Overlay, Screen, SessionContent, SessionView};
use crate::event::{Answer, Effect};
use crate::host::{Change, OpenSession, SearchHit, SessionNumbers};
use crate::keymap::{Command, Scope};
use crate::list::TextSearch;
use crate::reader::{Document, Reader};

impl App {
    pub(super) fn answer(&mut self, answer: Answer) -> Vec<Effect> {
        match answer {
            Answer::Changed => {
                self.list_refresh.expire();
                self.count_refresh.expire();
            }
            Answer::Sessions(rows) => {
                self.end("reading sessions");
                self.list_refresh.answer(self.now);
                self.is_listed = true;
                match rows {
                    Ok(rows) => self.list.set_rows(rows),
                    Err(error) => self.complain(error),
                }
            }
            Answer::Numbers(numbers) => {
                self.end("counting");
                self.count_refresh.answer(self.now);
                match numbers {
                    Ok(numbers) => self.counted(numbers),
                    Err(error) => self.complain(error),
                }
            }
            Answer::Opened(path, session) => {
                if !session.as_ref().is_ok_and(|session| session.is_beginning) {
                    self.end("reading the session");
                }
                if self.session.as_ref().is_some_and(|open| open.row.path == path) {
                    self.opened(session);
                }
            }
            Answer::Unchanged(path) => {
                if let Some(open) = self.session.as_mut().filter(|open| open.row.path == path) {
                    open.is_asked = false;
                }
            }
            Answer::Hits(query, hits) => {
                self.end("searching");
                self.found(query, hits);
            }
            Answer::Usage(report) => {
                self.end("adding up usage");
                self.usage.report = Some(report);
            }
            Answer::Plan(change, plan) => {
                self.end("planning");
                match plan {
                    // A person who is typing must not answer a question unseen.
                    Ok(_) if self.overlay.is_some() => self.say("not asked, since something else is open"),
                    Ok(plan) => self.overlay = Some(Overlay::Confirm { change, plan, top: 0 }),
                    Err(error) => self.complain(error),
                }
            }
            Answer::Applied(change, report) => {
                self.end("changing");
                return self.applied(&change, report);
            }
            Answer::Warned(warnings) => {
                // What a change did stays in sight.
                let before = self.message.take().map(|message| message.text);
                self.complain(before.into_iter().chain(warnings).collect::<Vec<_>>().join("; "));
            }
            Answer::Resumed(outcome) => {
                if let Err(error) = outcome {
                    self.complain(error);
                }
                return self.start();
            }
        }
        Vec::new()
    }

    fn counted(&mut self, numbers: Vec<(PathBuf, SessionNumbers)>) {
        if let Some(SessionView { row, .. }) = &mut self.session {
            let own = numbers.iter().find(|(path, _)| *path == row.path);
            row.numbers = own.map(|(_, numbers)| *numbers).or(row.numbers);
        }
        self.list.set_numbers(numbers);
    }

    /// Shows what was read, or what has become of it.
    fn opened(&mut self, session: Result<OpenSession, String>) {
        let options = self.display_options();
        let (now, height) = (self.now, usize::from(crate::geometry::session_areas(self.size).1.height));
        let Some(view) = &mut self.session else { return };
        let is_beginning = session.as_ref().is_ok_and(|session| session.is_beginning);
        // What is further down is not in the beginning.
        if is_beginning && (view.target_line.is_some() || view.reader().is_some()) {
            return;
        }
        if !is_beginning {
            view.is_asked = false;
            view.read_ms = (now - view.asked).max(0);
        }
        let read = match (session, &view.content) {
            (Ok(read), _) => read,
            // What is on the screen stays: the file may be back in a moment.
            (Err(error), SessionContent::Ready(_)) => return self.complain(error),
            (Err(error), _) => {
                view.content = SessionContent::Failed(error);
                return;
            }
        };
        view.bytes = read.bytes;
        let document = Document::new(read.conversation);
        match &mut view.content {
            SessionContent::Ready(reader) => reader.replace(document),
            content => {
                let mut reader = Reader::new(document, height.max(1));
                reader.is_beginning = is_beginning;
                reader.resize(options, height.max(1));
                *content = SessionContent::Ready(Box::new(reader));
            }
        }
        if let (Some(line), Some(reader)) = (view.target_line.take(), view.reader_mut()) {
            reader.go_to_line(line);
        }
        if self.screen == Screen::Tree
            && let Some(view) = &mut self.session
            && let Some(reader) = view.reader()
        {
            view.tree.lines = reader.document.outline();
            view.tree.selected = view.tree.selected.min(view.tree.lines.len().saturating_sub(1));
        }
    }

    fn found(&mut self, query: String, hits: Result<Vec<SearchHit>, String>) {
        match hits {
            Ok(hits) if hits.is_empty() => self.complain(format!("no session has {query:?}")),
            Ok(hits) => self.list.set_search(Some(TextSearch { query, hits })),
            Err(error) => self.complain(error),
        }
    }

    fn applied(&mut self, change: &Change, report: Result<Vec<String>, String>) -> Vec<Effect> {
        let report = match report {
            Ok(report) => report,
            Err(error) => {
                self.complain(error);
                return Vec::new();
            }
        };
        let undo = match change {
            Change::Undo | Change::Export { .. } => None,
            _ => {
                let key = self.options.keymap.key(Scope::List, Command::Undo);
                (!key.is_empty()).then(|| format!("{key} undoes it"))
            }
        };
        let report = report.into_iter().chain(undo);
        let text = report.map(|line| line.trim().to_owned()).collect::<Vec<_>>().join("; ");
        self.say(text);
        if let (Change::Trash { session }, Some(open)) = (change, &self.session)
            && open.row.path == *session
        {
            (self.screen, self.session) = (Screen::List, None);
        }
        self.rename_open(change);
        self.start()
    }

    /// The header of the open session shows its new title at once.
    fn rename_open(&mut self, change: &Change) {
        let Some(SessionView { row, .. }) = &mut self.session else { return };
        match change {
            Change::Rename { session, title } if row.path == *session && !title.is_empty() => {
                row.title.clone_from(title);
            }
            Change::Tag { session, tag } if row.path == *session => {
                row.tag = Some(tag.clone()).filter(|tag| !tag.is_empty());
            }
            _ => {}
        }
    }
}
