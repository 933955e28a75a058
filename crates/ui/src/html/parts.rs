//! A long conversation in parts, each from a prompt on, which can be drawn at the same time.

use std::borrow::Cow;

use crate::view::{Conversation, Item, part_starts};

use super::HtmlOptions;
use super::line_set::LineSet;
use super::writer::HtmlWriter;

/// What an item usually takes, so that a page seldom grows while it is drawn.
const USUAL_BYTES: usize = 1024;

/// Returns the parts of a conversation: what is drawn in one needs nothing of those before it.
pub fn parts(talk: &Conversation) -> Vec<&[Item]> {
    let mut parts = Vec::new();
    let mut from = 0;
    for start in part_starts(&talk.items) {
        parts.push(&talk.items[from..start]);
        from = start;
    }
    parts.push(&talk.items[from..]);
    parts
}

/// A part of a conversation, drawn.
#[derive(Clone, Debug)]
pub struct PagePart<'c> {
    pub(super) items: Cow<'c, [Item]>,
    html: String,
    /// The lines that have their id in it.
    anchors: LineSet,
}

impl<'c> PagePart<'c> {
    /// Draws one of the [`parts`] of a conversation.
    pub fn draw(items: impl Into<Cow<'c, [Item]>>, options: &HtmlOptions<'_>) -> Self {
        Self::draw_after(LineSet::default(), items.into(), options)
    }

    /// Draws a part; these lines have their ids before it.
    fn draw_after(anchors: LineSet, items: Cow<'c, [Item]>, options: &HtmlOptions<'_>) -> Self {
        let mut html = String::with_capacity(items.len() * USUAL_BYTES);
        let mut writer = HtmlWriter { anchors, ..HtmlWriter::new(options, &mut html) };
        writer.items(&items);
        let anchors = writer.anchors;
        Self { items, html, anchors }
    }
}

/// Takes what was drawn out of the parts, in their order, and gives it to `each`. A part that repeats an id of one before it is
/// drawn again without.
pub(super) fn join_parts(
    drawn: &mut [PagePart<'_>],
    options: &HtmlOptions<'_>,
    each: &mut dyn FnMut(String),
) {
    let mut anchors = LineSet::default();
    for part in drawn {
        if part.anchors.is_disjoint(&anchors) {
            each(std::mem::take(&mut part.html));
            anchors.extend(&part.anchors);
        } else {
            let items = Cow::Borrowed(&*part.items);
            let again = PagePart::draw_after(std::mem::take(&mut anchors), items, options);
            each(again.html);
            anchors = again.anchors;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViewOptions;
    use crate::html::conversation;
    use annals_transcript::transcript::Transcript;

    /// Prompts and replies in turn; each reply repeats the time of its prompt.
    fn talk(count: usize) -> Conversation {
        let line = |number: usize| {
            let (kind, before) = if number.is_multiple_of(2) { ("user", "null") } else { ("assistant", "0") };
            let parent = if number == 0 { "null".to_owned() } else { format!("\"{}\"", number - 1) };
            let time = format!("2026-01-01T{:02}:{:02}:00Z", number / 60 % 24, number % 60 / 2);
            format!(
                r#"{{"type":"{kind}","uuid":"{number}","parentUuid":{parent},"timestamp":"{time}","message":{{"id":"m{number}{before}","content":"text {number}"}}}}"#
            )
        };
        let file = (0..count).map(line).collect::<Vec<_>>().join("\n");
        Conversation::build(&Transcript::parse(file.as_bytes()), &[], ViewOptions::default())
    }

    fn check(talk: &Conversation, expected_parts: usize) {
        let options = HtmlOptions { markup: super::super::Markup::Compact, ..HtmlOptions::default() };
        let mut drawn: Vec<_> =
            parts(talk).into_iter().map(|items| PagePart::draw(items, &options)).collect();
        assert_eq!(drawn.len(), expected_parts);
        let (mut joined, mut whole) = (String::new(), String::new());
        join_parts(&mut drawn, &options, &mut |piece| joined.push_str(&piece));
        conversation(talk, &options, &mut whole);
        assert_eq!(joined, whole);
    }

    #[test]
    fn parts_together_are_what_is_drawn_at_once() {
        check(&talk(1), 1);
        check(&talk(400), 10);
    }

    #[test]
    fn an_id_stays_with_the_first_part_that_has_it() {
        let mut talk = talk(400);
        let last = talk.items.len() - 1;
        talk.items[last - 2].position.line = 1;
        check(&talk, 10);
    }
}
