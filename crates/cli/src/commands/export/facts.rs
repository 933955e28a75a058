//! What stands above an exported conversation, and in a list of them.

use annals_surgery::redact::Redactor;
use annals_ui::html::PageHeader;

use crate::facts::SessionFacts;
use crate::words;

/// Replaces secrets in texts that do not come from the file as it is exported.
pub(super) fn redact(facts: &mut SessionFacts, redactor: &mut Redactor) {
    for text in [&mut facts.title, &mut facts.project, &mut facts.branch] {
        *text = redactor.text(text);
    }
}

/// The header of a page.
pub(super) fn header(facts: &SessionFacts) -> PageHeader {
    let when = match (facts.first.as_str(), facts.last.as_str()) {
        (first, last) if first == last || last.is_empty() => first.to_owned(),
        ("", last) => last.to_owned(),
        (first, last) => format!("{first} to {last}"),
    };
    let agents = if facts.agents > 0 { facts.agents.to_string() } else { String::new() };
    let rows = [
        ("Session", facts.id.clone()),
        ("Project", facts.project.clone()),
        ("Branch", facts.branch.clone()),
        ("When", when),
        ("Models", facts.models.join(", ")),
        ("Turns", words::count(facts.turns)),
        ("Cost", facts.cost.clone()),
        ("Sub-agents", agents),
    ];
    PageHeader {
        title: facts.title.clone(),
        facts: rows.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
    }
}

/// What a list says about it.
pub(super) fn row(facts: &SessionFacts) -> [String; 6] {
    let turns = words::count(facts.turns);
    [&facts.id, &facts.title, &facts.project, &facts.last, &turns, &facts.cost].map(String::clone)
}
