//! A page over the screen: the transcript with everything in full, or what a command reports. It scrolls, and text is found in it.

use annals_ui::terminal::{RenderOptions, Span, Style, StyledLine, clip_start};

use super::block::{BlockForm, ChatBlock};
use super::find::PageFind;
use super::log::ChatLog;
use super::log_view::LogView;
use crate::key::Key;
use crate::reader::{FindDirection, LinePosition};

#[derive(Debug)]
pub(crate) struct ChatPage {
    title: String,
    /// What it shows; `None` for the conversation itself.
    own: Option<ChatLog>,
    pub(crate) view: LogView,
    pub(crate) find: PageFind,
}

/// What a key did to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageOutcome {
    Open,
    Close,
}

impl ChatPage {
    /// The conversation, with everything in full.
    pub(crate) fn transcript() -> Self {
        let view = LogView::new(BlockForm::Full);
        Self { title: "transcript".to_owned(), own: None, view, find: PageFind::default() }
    }

    /// Lines under a title.
    pub(crate) fn of_lines(title: &str, lines: Vec<StyledLine>) -> Self {
        let mut log = ChatLog::default();
        log.push(ChatBlock::Notes(lines));
        let mut view = LogView::new(BlockForm::Full);
        view.go_to(LinePosition::default());
        Self { title: title.to_owned(), own: Some(log), view, find: PageFind::default() }
    }

    /// Applies a key.
    pub(crate) fn press(&mut self, key: Key, log: &ChatLog, options: &RenderOptions<'_>) -> PageOutcome {
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
        match key {
            Key::Char('q') | Key::Escape | Key::Ctrl('o' | 'c') => return PageOutcome::Close,
            Key::Char('/') => find.typed = Some(String::new()),
            Key::Char('n') => find.next(log, view, FindDirection::Forward, options),
            Key::Char('N') => find.next(log, view, FindDirection::Backward, options),
            Key::Char('g') | Key::Home => view.go_to(LinePosition::default()),
            Key::Char('G') | Key::End => view.go_to_end(),
            Key::Char('j') | Key::Down => view.scroll(log, 1, options),
            Key::Char('k') | Key::Up => view.scroll(log, -1, options),
            Key::Char(' ') | Key::PageDown => view.scroll(log, page, options),
            Key::Char('b') | Key::PageUp => view.scroll(log, -page, options),
            Key::Ctrl('d') => view.scroll(log, page / 2, options),
            Key::Ctrl('u') => view.scroll(log, -page / 2, options),
            _ => {}
        }
        PageOutcome::Open
    }

    /// The rows of the screen: a title, the lines, and a last line with keys or what is looked for.
    pub(crate) fn rows(
        &mut self,
        log: &ChatLog,
        options: &RenderOptions<'_>,
        height: usize,
    ) -> Vec<StyledLine> {
        let log = self.own.as_ref().unwrap_or(log);
        self.view.resize(options.width, height.saturating_sub(2));
        let mut rows = vec![vec![Span::new(format!(" {} ", self.title), Style::BOLD)]];
        rows.extend(self.view.visible(log, options));
        rows.resize(height.saturating_sub(1), StyledLine::new());
        rows.push(match (&self.find.typed, self.find.is_missing) {
            (Some(typed), _) => {
                let typed = clip_start(typed, options.width.saturating_sub(7));
                vec![Span::new("find: ", Style::BOLD), Span::plain(typed)]
            }
            (None, true) => vec![Span::dim("not found · q leaves")],
            (None, false) => {
                let at = if self.view.is_at_end() { "end" } else { "more below" };
                vec![Span::dim(format!("{at} · q leaves · / finds · space, b: pages"))]
            }
        });
        rows
    }
}
