//! A page over the screen: the transcript with everything in full, or what a command reports. It scrolls, and text is found in it.

use annals_ui::terminal::{RenderOptions, Span, Style, StyledLine, clip_start};

use super::block::{BlockForm, ChatBlock};
use super::command::ChatCommand;
use super::find::PageFind;
use super::keymap::{ChatKeyScope, ChatKeymap, with_hints};
use super::log::ChatLog;
use super::log_view::LogView;
use super::tasks::TaskRow;
use crate::key::Key;
use crate::reader::{FindDirection, LinePosition};

#[derive(Debug)]
pub(crate) struct ChatPage {
    title: String,
    /// What it shows; `None` for the conversation itself.
    own: Option<ChatLog>,
    /// The task in the background whose output it shows.
    pub(super) task: Option<String>,
    /// Whether a part of the conversation can still be loaded.
    pub(super) has_earlier: bool,
    pub(crate) view: LogView,
    pub(crate) find: PageFind,
}

/// Narrower pages name fewer keys.
const MIN_WIDTH_FOR_ALL_KEYS: usize = 75;

/// What a key did to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageOutcome {
    Open,
    Close,
    /// More of the conversation is wanted.
    LoadEarlier,
}

impl ChatPage {
    /// The conversation, with everything in full.
    pub(crate) fn transcript() -> Self {
        let view = LogView::new(BlockForm::Full);
        Self {
            title: "transcript".to_owned(),
            own: None,
            task: None,
            has_earlier: false,
            view,
            find: PageFind::default(),
        }
    }

    /// Lines under a title.
    pub(crate) fn of_lines(title: &str, lines: Vec<StyledLine>) -> Self {
        let mut log = ChatLog::default();
        log.push(ChatBlock::Notes(lines));
        let mut view = LogView::new(BlockForm::Full);
        view.go_to(LinePosition::default());
        Self {
            title: title.to_owned(),
            own: Some(log),
            task: None,
            has_earlier: false,
            view,
            find: PageFind::default(),
        }
    }

    /// All that a task in the background has printed, from its end.
    pub(crate) fn of_task(row: &TaskRow) -> Self {
        let mut page = Self::of_lines(&row.id, row.output.clone());
        page.view.go_to_end();
        Self { task: Some(row.id.clone()), ..page }
    }

    /// Replaces the lines, and stays where it is.
    pub(super) fn replace_lines(&mut self, lines: Vec<StyledLine>) {
        let mut log = ChatLog::default();
        log.push(ChatBlock::Notes(lines));
        self.own = Some(log);
        self.view.lay_out_again();
    }

    /// Fits it to the terminal: there are a title and a last line beside the lines.
    pub(crate) fn fit(&mut self, columns: usize, height: usize) {
        self.view.resize(columns, height.saturating_sub(2));
    }

    /// Applies a key, which may mean a command.
    pub(crate) fn press(
        &mut self,
        key: Key,
        command: Option<ChatCommand>,
        log: &ChatLog,
        options: &RenderOptions<'_>,
    ) -> PageOutcome {
        let log = self.own.as_ref().unwrap_or(log);
        let (view, find) = (&mut self.view, &mut self.find);
        if let Some(typed) = &mut find.typed {
            match key {
                Key::Char(character) => typed.push(character),
                Key::Backspace => drop(typed.pop()),
                Key::Escape | Key::Ctrl('c') => find.typed = None,
                Key::Enter => find.submit(log, view, options),
                _ => {}
            }
            return PageOutcome::Open;
        }
        let page = isize::try_from(view.height()).unwrap_or(1);
        match command {
            Some(ChatCommand::Close | ChatCommand::Transcript) => return PageOutcome::Close,
            Some(ChatCommand::Find) => {
                find.typed = Some(String::new());
                (find.place, find.is_missing) = (None, false);
            }
            Some(ChatCommand::FindNext) => find.next(log, view, FindDirection::Forward, options),
            Some(ChatCommand::FindPrevious) => find.next(log, view, FindDirection::Backward, options),
            Some(ChatCommand::First) => view.go_to(LinePosition::default()),
            Some(ChatCommand::Last) => view.go_to_end(),
            Some(ChatCommand::Down) => view.scroll(log, 1, options),
            Some(ChatCommand::Up) => view.scroll(log, -1, options),
            Some(ChatCommand::PageDown) => view.scroll(log, page, options),
            Some(ChatCommand::PageUp) => view.scroll(log, -page, options),
            Some(ChatCommand::HalfDown) => view.scroll(log, page / 2, options),
            Some(ChatCommand::HalfUp) => view.scroll(log, -page / 2, options),
            Some(ChatCommand::SelectNext) => view.select(log, FindDirection::Forward, options),
            Some(ChatCommand::SelectPrevious) => view.select(log, FindDirection::Backward, options),
            Some(ChatCommand::Fold) => view.fold_selected(log, options),
            Some(ChatCommand::FoldAll) => view.fold_all(),
            Some(ChatCommand::LoadEarlier) if self.own.is_none() => return PageOutcome::LoadEarlier,
            _ => {}
        }
        PageOutcome::Open
    }

    /// Scrolls by lines.
    pub(crate) fn scroll(&mut self, lines: isize, log: &ChatLog, options: &RenderOptions<'_>) {
        self.view.scroll(self.own.as_ref().unwrap_or(log), lines, options);
    }

    /// Whether it shows the conversation itself.
    pub(crate) fn is_transcript(&self) -> bool {
        self.own.is_none()
    }

    /// Follows blocks that came before the conversation.
    pub(crate) fn shift(&mut self, blocks: usize) {
        if self.own.is_none() {
            self.view.shift(blocks);
            self.find.shift(blocks);
        }
    }

    /// Folds what is on a row of the screen, or opens it.
    pub(crate) fn click(&mut self, row: usize, log: &ChatLog, options: &RenderOptions<'_>) {
        // The title is above the lines.
        if let Some(row) = row.checked_sub(1) {
            self.view.fold_at_row(self.own.as_ref().unwrap_or(log), row, options);
        }
    }

    /// The rows of the screen: a title, the lines, and a last line with keys or what is looked for.
    pub(crate) fn rows(
        &mut self,
        log: &ChatLog,
        options: &RenderOptions<'_>,
        height: usize,
        keymap: &ChatKeymap,
    ) -> Vec<StyledLine> {
        self.fit(options.width, height);
        let log = self.own.as_ref().unwrap_or(log);
        let mut rows = vec![vec![Span::new(format!(" {} ", self.title), Style::BOLD)]];
        rows.extend(self.view.visible(log, options));
        rows.resize(height.saturating_sub(1), StyledLine::new());
        rows.push(match (&self.find.typed, self.find.is_missing) {
            (Some(typed), _) => {
                let typed = clip_start(typed, options.width.saturating_sub(7));
                vec![Span::new("find: ", Style::BOLD), Span::plain(typed)]
            }
            (None, is_missing) => vec![Span::dim(self.hints(keymap, is_missing, options.width))],
        });
        rows
    }

    /// Where the page stands, and its keys.
    fn hints(&self, keymap: &ChatKeymap, is_missing: bool, columns: usize) -> String {
        use ChatCommand::{Close, Find, FindNext, FindPrevious, Fold, FoldAll, PageDown, PageUp, SelectNext};
        let at = if self.view.is_at_end() { "end" } else { "more below" };
        let (head, mut keys) = match self.find.place {
            _ if is_missing => ("not found".to_owned(), vec![(Close, " leaves")]),
            Some((place, all)) => (
                format!("{place} of {all} · {at}"),
                vec![(FindNext, " matches"), (FindPrevious, " matches"), (Close, " leaves")],
            ),
            None => {
                let pages = [(PageDown, ": pages"), (PageUp, ": pages")];
                (at.to_owned(), [(Close, " leaves"), (Find, " finds")].into_iter().chain(pages).collect())
            }
        };
        if self.has_earlier && self.find.place.is_none() {
            keys.push((ChatCommand::LoadEarlier, " loads more"));
        } else if self.own.is_none() && self.find.place.is_none() && columns >= MIN_WIDTH_FOR_ALL_KEYS {
            keys.extend([(SelectNext, ": fold one"), (Fold, ": fold one"), (FoldAll, ": all")]);
        }
        with_hints(head, &keymap.hints(ChatKeyScope::Page, &keys))
    }
}
