//! A few items of a conversation, laid out by themselves: a program that shows only a part of a long session lays out only
//! that part.

use super::call::{is_brief, tool_name};
use super::color::Color;
use super::items::{LastItem, Renderer};
use super::live_page::LivePage;
use super::options::RenderOptions;
use super::style::{Span, Style, StyledLine};
use crate::clean::{one_line, reveal};
use crate::figures::{self, stamp};
use crate::view::{Item, ItemBody, ToolCall};

/// Deeper sub-agents are not indented further: the text needs the columns.
const MAX_GUTTERS: usize = 6;

/// A few items, and what comes before them.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'c> {
    /// The item before, which decides about labels, dates and blank lines; `None` at the start.
    pub before: Option<&'c Item>,
    /// The last item before that shows a time: the next one shows the date only if it is another.
    pub stamped: Option<&'c Item>,
    pub items: &'c [Item],
    /// How many sub-agents and branches deep they are.
    pub depth: usize,
    /// Whether a sub-agent speaks, and not Claude to a person.
    pub is_agent: bool,
}

impl Passage<'_> {
    /// Lays the items out.
    pub fn lines(&self, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        self.draw(options, |renderer, items| renderer.items(items))
    }

    /// Lays only the first line of a tool call out: its name and what tells most.
    pub fn call_line(&self, call: &ToolCall, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        self.draw(options, |renderer, _| {
            if !matches!(renderer.last_item, LastItem::Tool { .. }) {
                renderer.canvas.gap();
            }
            let color = if call.is_error() { Color::Red } else { Color::Green };
            let mark = Span::new(options.glyphs().call, Style::color(color));
            let name = Span::new(tool_name(&call.name), Style::BOLD);
            renderer.canvas.line(&[
                mark,
                name,
                Span::plain(format!("  {}", one_line(&reveal(&call.headline)))),
            ]);
        })
    }

    /// The page as the item before leaves it.
    fn after(&self, item: &Item, options: &RenderOptions<'_>) -> LivePage {
        let last_item = match &item.body {
            ItemBody::Prompt(_) => LastItem::Prompt,
            ItemBody::Text(_) => LastItem::Text,
            ItemBody::ToolCall(call) => LastItem::Tool { is_brief: is_brief(call) },
            ItemBody::Thinking(_)
            | ItemBody::Compaction(_)
            | ItemBody::Branch(_)
            | ItemBody::Agent(_)
            | ItemBody::TurnEnd(_) => LastItem::Block,
            _ => LastItem::Note,
        };
        let millis = self.stamped.and_then(|item| item.position.millis);
        let date = millis.map(|millis| stamp(millis, (options.zone)(millis)).0).unwrap_or_default();
        let model = match self.stamped.map(|item| &item.body) {
            Some(ItemBody::Text(text)) => text.model.as_deref().map(figures::model).unwrap_or_default(),
            _ => "",
        };
        LivePage { is_started: true, last_item, date, model: model.to_owned(), open_call: String::new() }
    }

    fn draw(
        &self,
        options: &RenderOptions<'_>,
        draw: impl FnOnce(&mut Renderer<'_, '_, '_>, &[Item]),
    ) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        let page = self.before.map(|item| self.after(item, options)).unwrap_or_default();
        let mut renderer = Renderer::on(page, options, &mut lines);
        renderer.depth = usize::from(self.is_agent);
        let gutter = Span::new(format!("  {}", options.glyphs().agent), Style::color(Color::Blue));
        let gutters = vec![gutter; self.depth.min(MAX_GUTTERS)];
        renderer.with_gutters(gutters, |renderer| draw(renderer, self.items));
        lines
    }
}

/// Returns whether an item says so little that a run of such items is drawn on one line.
pub fn is_minor(item: &Item) -> bool {
    match &item.body {
        ItemBody::Attachment(_) | ItemBody::Thinking(None) => true,
        ItemBody::Hook(hook) => !hook.is_error,
        _ => false,
    }
}

/// Returns whether an item shows its time.
pub fn is_stamped(item: &Item) -> bool {
    matches!(item.body, ItemBody::Prompt(_) | ItemBody::Text(_))
}

#[cfg(test)]
mod tests {
    use annals_transcript::transcript::Transcript;

    use super::*;
    use crate::view::{Conversation, ViewOptions};
    use crate::{TerminalText, terminal};

    const FILE: &str = concat!(
        r#"{"type":"user","uuid":"a","timestamp":"2026-11-09T09:05:00Z","message":{"content":"one"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"b","parentUuid":"a","timestamp":"2026-11-09T09:05:01Z","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls\u001b[2J"}}]}}"#,
        "\n",
        r#"{"type":"user","uuid":"c","parentUuid":"b","timestamp":"2026-11-09T09:05:02Z","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"a"}]}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"d","parentUuid":"c","timestamp":"2026-11-09T09:05:03Z","message":{"id":"n","model":"claude-opus-4-5","content":[{"type":"text","text":"done"}]}}"#,
        "\n",
    );

    fn text(lines: &[StyledLine]) -> String {
        let plain = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
        lines.iter().map(|line| format!("{}\n", plain(line).trim_end())).collect()
    }

    #[test]
    fn items_laid_out_one_by_one_make_the_same_page() {
        let conversation =
            Conversation::build(&Transcript::parse(FILE.as_bytes()), &[], ViewOptions::default());
        let options = RenderOptions::plain(60);
        let mut page = TerminalText::default();
        terminal::draw(&conversation, &options, &mut page);
        let mut pieces = String::new();
        for (at, item) in conversation.items.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &conversation.items[before]);
            let stamped = conversation.items[..at].iter().rev().find(|item| is_stamped(item));
            let passage =
                Passage { before, stamped, items: std::slice::from_ref(item), depth: 0, is_agent: false };
            pieces.push_str(&text(&passage.lines(&options)));
        }
        assert_eq!(pieces, page.as_str());
    }

    #[test]
    fn a_call_is_one_clean_line_behind_the_gutters_of_its_agents() {
        let conversation =
            Conversation::build(&Transcript::parse(FILE.as_bytes()), &[], ViewOptions::default());
        let ItemBody::ToolCall(call) = &conversation.items[1].body else { panic!("{conversation:?}") };
        let passage = Passage { before: None, stamped: None, items: &[], depth: 2, is_agent: true };
        assert_eq!(
            text(&passage.call_line(call, &RenderOptions::plain(60))),
            "  ┊   ┊ ● Bash  ls‹U+001B›[2J\n"
        );
    }
}
