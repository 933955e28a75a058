//! Whole documents: a conversation below what it is, and a list of such documents.

use crate::html::{IndexGroup, PageHeader};
use crate::terminal_text::TerminalText;
use crate::view::Conversation;

use super::text::escaped;

/// Writes a conversation below its title and what is known about it. Times are in UTC.
pub fn page(header: &PageHeader, conversation: &Conversation, out: &mut TerminalText) {
    let mut top = format!("# {}\n\n", escaped(&header.title));
    for (name, value) in &header.facts {
        top.push_str(&format!("- {name}: {}\n", escaped(value)));
    }
    top.push('\n');
    out.push(TerminalText::block(&top));
    super::write(conversation, out);
}

/// Writes a list of documents, by project.
pub fn index(title: &str, groups: &[IndexGroup], out: &mut String) {
    let mut list = format!("# {}\n", escaped(title));
    for group in groups {
        list.push_str(&format!("\n## {}\n\n", escaped(&group.project)));
        list.push_str("| Session | Last active | Turns | Cost |\n|---|---|--:|--:|\n");
        for row in &group.rows {
            let [title, date, turns, cost] =
                [&row.title, &row.date, &row.turns, &row.cost].map(|text| escaped(text));
            list.push_str(&format!("| [{title}]({}) | {date} | {turns} | {cost} |\n", row.file));
        }
    }
    out.push_str(TerminalText::block(&list).as_str());
}
