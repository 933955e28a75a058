//! The rows of one item.

use annals_collect::Item;
use annals_index::{FactKind, IndexedFile, LineRows, MessageKind, MessageRow, text_tokens};
use annals_json::ObjectWriter;
use annals_store::source::uuid_text;
use annals_transcript::time::format_millis;

use super::responses::write_response;
use super::{BatchRows, RowContext, path_session, role_name, session_of};
use crate::schema::FORM;

/// No record is older: there was no client. 2024-01-01.
const FIRST_DAY: i64 = 1_704_067_200_000;
/// The last day of partitions, whatever a clock says: 2099-12-31. The engine's dates end in 2149.
const LAST_DAY: i64 = 4_102_358_400_000;
/// A clock that is further ahead is wrong.
const MAX_AHEAD: i64 = 2 * 86_400_000;

/// Facts that every line repeats: they are columns of lines, or not asked for.
const REPEATED_FACTS: [FactKind; 7] = [
    FactKind::Cwd,
    FactKind::GitBranch,
    FactKind::Version,
    FactKind::Model,
    FactKind::Entrypoint,
    FactKind::PlanName,
    FactKind::Created,
];

/// Writes the rows of one item.
pub(super) struct ItemWriter<'i> {
    context: &'i RowContext<'i>,
    item: &'i Item,
    file: Option<&'i IndexedFile>,
    found: &'i LineRows,
    session: &'i str,
    /// When it was written, as far as that is known.
    millis: Option<i64>,
    day: String,
}

impl<'i> ItemWriter<'i> {
    pub(super) fn new(
        context: &'i RowContext<'i>,
        item: &'i Item,
        file: Option<&'i IndexedFile>,
        found: &'i LineRows,
    ) -> Self {
        let session = session_of(file, found);
        let millis = found.millis.or(item.modified);
        Self { context, item, file, found, session, millis, day: day(millis, item.generation) }
    }

    pub(super) fn write(&self, rows: &mut BatchRows) {
        self.line(&mut rows.lines);
        for message in &self.found.messages {
            self.message(message, &mut rows.messages);
        }
        self.calls(&mut rows.calls);
        for response in &self.found.responses {
            row(&mut rows.responses, |object| {
                self.name(object);
                object.number("line", self.item.number).string("file_role", role_name(self.file));
                object.string("day", &self.day).number("form", FORM);
                write_response(response, self.context.prices, object);
            });
        }
        for (kind, value) in self.found.facts.iter().filter(|(kind, _)| !REPEATED_FACTS.contains(kind)) {
            row(&mut rows.facts, |object| {
                self.name(object);
                object.string("session", self.session).number("line", self.item.number);
                object.string("kind", kind.name()).string("value", value);
                object.string("day", &self.day).number("form", FORM);
            });
        }
    }

    fn line(&self, out: &mut Vec<u8>) {
        let item = self.item;
        row(out, |object| {
            self.name(object);
            let file = self.file;
            object.string("session", &path_session(item)).number("offset", item.offset);
            object.number("length", item.length).number("line", item.number).string("form", item.form.name());
            object.string("role", role_name(file)).string("project", file.map_or("", |file| &file.slug));
            object.string("cwd", self.fact(FactKind::Cwd)).string("branch", self.fact(FactKind::GitBranch));
            object.string("forked_from", self.found.forked_from.as_deref().unwrap_or_default());
            number_or_null(object, "millis", self.millis);
            object.string("day", &self.day).string_or_null("text", item.text.as_deref());
        });
    }

    fn message(&self, message: &MessageRow, out: &mut Vec<u8>) {
        row(out, |object| {
            self.name(object);
            object.string("project", self.file.map_or("", |file| &file.slug)).string("session", self.session);
            object.string("agent", self.agent()).number("offset", message.offset);
            object
                .number("length", message.length)
                .number("line", message.line)
                .number("block", message.block);
            object.string("file_role", role_name(self.file)).string("class", class(message.kind));
            object.string("role", message.role.name()).string("kind", message.kind.name());
            object.string("tool", message.tool.as_deref().unwrap_or_default());
            object.string("call", message.call.as_deref().unwrap_or_default());
            object.boolean("is_error", message.is_error);
            number_or_null(object, "millis", message.millis);
            object.number("time", message.millis.unwrap_or(self.item.generation)).string("day", &self.day);
            object.string("uuid", &record_id(message.uuid.as_deref())).number("bytes", message.bytes);
            object.number("form", FORM).string("words", &words(&message.text));
        });
    }

    /// A call and its result, each a row; a line that has both gives two.
    fn calls(&self, out: &mut Vec<u8>) {
        for (id, call) in &self.found.calls {
            let mut half = |half: &str, millis: Option<i64>, bytes: u64| {
                row(out, |object| {
                    self.name(object);
                    object.string("call", id).string("half", half).number("line", self.item.number);
                    object.string("session", self.session).string("agent", self.agent());
                    object.string("tool", call.tool.as_deref().unwrap_or_default());
                    object.string("path", call.path.as_deref().unwrap_or_default());
                    number_or_null(object, "millis", millis);
                    object.boolean("is_error", call.is_error).number("bytes", bytes);
                    object.string("started_agent", call.agent.as_deref().unwrap_or_default());
                    object.string("day", &self.day).number("form", FORM);
                });
            };
            if call.called.is_some() {
                half("call", call.started, call.input);
            }
            if call.answered.is_some() {
                half("result", call.ended, call.result);
            }
        }
    }

    /// The columns that name the file.
    fn name(&self, object: &mut ObjectWriter<'_>) {
        object.string("tenant", self.context.tenant).string("machine", self.context.machine);
        object.string("store", self.context.store).string("file", &self.item.file);
        object.number("generation", self.item.generation);
    }

    fn agent(&self) -> &str {
        self.file.and_then(|file| file.agent.as_deref()).unwrap_or_default()
    }

    fn fact(&self, kind: FactKind) -> &str {
        let found = self.found.facts.iter().find(|(other, _)| *other == kind);
        found.map_or("", |(_, value)| value.as_str())
    }
}

/// Writes one row and its line break.
pub(super) fn row(out: &mut Vec<u8>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
    let mut object = ObjectWriter::begin(out);
    fill(&mut object);
    object.end();
    out.push(b'\n');
}

pub(super) fn number_or_null(object: &mut ObjectWriter<'_>, key: &str, number: Option<i64>) {
    match number {
        Some(number) => object.number(key, number),
        None => object.raw(key, b"null"),
    };
}

/// The day of an item: that of its own time, unless that cannot be right. It follows from the item alone, so that what is sent
/// again falls into the same partition, and a wrong clock cannot open a thousand of them.
fn day(millis: Option<i64>, generation: i64) -> String {
    let latest = generation.saturating_add(MAX_AHEAD);
    let millis = millis.filter(|millis| (FIRST_DAY..=latest).contains(millis)).unwrap_or(generation);
    let mut day = format_millis(millis.clamp(FIRST_DAY, LAST_DAY));
    day.truncate(10);
    day
}

/// Which messages are weighed alike: what somebody wrote, what was replied, what was shown.
pub(crate) fn class(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Prompt | MessageKind::Title => "said",
        MessageKind::Response | MessageKind::Thinking | MessageKind::Error | MessageKind::Plan => "replied",
        MessageKind::ToolCall | MessageKind::ToolResult | MessageKind::Context | MessageKind::Memory => {
            "shown"
        }
    }
}

fn record_id(id: Option<&[u8]>) -> String {
    let Some(id) = id else { return String::new() };
    match <[u8; 16]>::try_from(id) {
        Ok(uuid) => uuid_text(uuid),
        Err(_) => String::from_utf8_lossy(id).into_owned(),
    }
}

/// The words of a text, with a space before and behind each.
fn words(text: &str) -> String {
    let words = text_tokens(text);
    let mut out = String::with_capacity(words.iter().map(|word| word.len() + 1).sum::<usize>() + 1);
    out.push(' ');
    for word in words {
        out.push_str(&word);
        out.push(' ');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_follows_from_the_item_alone() {
        let generation = 1_795_000_000_000;
        assert_eq!(day(Some(1_767_225_600_000), generation), "2026-01-01");
        assert_eq!(day(None, generation), "2026-11-18");
        for wrong in [0, -5, generation + 3 * 86_400_000, i64::MAX] {
            assert_eq!(day(Some(wrong), generation), "2026-11-18", "{wrong}");
        }
        assert_eq!(day(None, 7), "2024-01-01");
        assert_eq!(day(None, i64::MAX), "2099-12-31");
    }
}
