//! The text of a summary without a model: deterministic, and bounded except for the prompts.

use super::extract::{Extract, TurnExtract};

/// The maximum length of all extracts together; prompts are kept in full and not counted.
const MAX_BYTES: usize = 40_000;

/// How much of an earlier summary is kept.
const MAX_EARLIER_BYTES: usize = 16_000;

const OPENING: &str = "This conversation was shortened by annals, without a model. The prompts below are word for word; of the \
    replies and tools there are extracts only. Look again at files and output before relying on them.";

const MODEL_OPENING: &str = "The older part of this conversation was summed up by a model, for annals. Look again at files and \
    output before relying on them.";

/// A summary that a model wrote, with its introduction.
pub(super) fn from_model(words: &str) -> String {
    format!("{MODEL_OPENING}\n\n{}", words.trim())
}

/// How much of a turn is included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TurnDetail {
    reply: usize,
    list: usize,
    item: usize,
}

/// From most to least.
const DETAILS: [TurnDetail; 3] = [
    TurnDetail { reply: 600, list: 12, item: 160 },
    TurnDetail { reply: 160, list: 4, item: 80 },
    TurnDetail { reply: 0, list: 0, item: 0 },
];

/// The summary of an extract.
pub(super) fn of(extract: &Extract) -> String {
    let mut texts: Vec<String> = extract.turns.iter().map(|turn| turn_text(turn, DETAILS[0])).collect();
    // The oldest turns are shortened first, then dropped.
    'fit: for detail in &DETAILS[1..] {
        for at in 0..texts.len() {
            if texts.iter().map(String::len).sum::<usize>() <= MAX_BYTES {
                break 'fit;
            }
            texts[at] = turn_text(&extract.turns[at], *detail);
        }
    }
    let mut out = OPENING.to_owned();
    for earlier in &extract.earlier {
        out.push_str("\n\n# What an earlier summary says\n\n");
        out.push_str(&cut(earlier, MAX_EARLIER_BYTES));
    }
    for (at, (turn, text)) in extract.turns.iter().zip(&texts).enumerate() {
        match &turn.prompt {
            Some(prompt) => out.push_str(&format!("\n\n# Prompt {}\n\n{prompt}", at + 1)),
            None => out.push_str("\n\n# Before the first prompt"),
        }
        if turn.images > 0 {
            out.push_str(&format!("\n\n[with {} images, which are no longer here]", turn.images));
        }
        if !text.is_empty() {
            out.push_str("\n\n## What was done\n");
            out.push_str(text);
        }
    }
    if !extract.todos.is_empty() {
        out.push_str("\n\n# The todo list\n");
        for (status, content) in &extract.todos {
            out.push_str(&format!("\n- {}: {}", status.replace('_', " "), cut(content, 200)));
        }
    }
    out
}

/// What happened in a turn, one line per item.
fn turn_text(turn: &TurnExtract, detail: TurnDetail) -> String {
    let mut out = String::new();
    if detail.list == 0 {
        return out;
    }
    let mut add = |label: &str, text: String| {
        if !text.is_empty() {
            out.push_str(&format!("\n- {label}: {text}"));
        }
    };
    let list = |items: &[String]| {
        let shown: Vec<_> = items.iter().take(detail.list).map(|item| sentences(item, detail.item)).collect();
        match items.len() - shown.len() {
            0 => shown.join("; "),
            more => format!("{}; and {more} more", shown.join("; ")),
        }
    };
    if let [first, .., _] = turn.replies.as_slice() {
        add("said first", sentences(first, detail.reply / 3));
    }
    add("said in the end", turn.replies.last().map(|text| sentences(text, detail.reply)).unwrap_or_default());
    add("changed", list(&turn.changed));
    add("read", list(&turn.read));
    add("ran", list(&turn.commands));
    let failed: Vec<_> = turn.failed.iter().map(|(tool, text)| format!("{tool}: {text}")).collect();
    add("failed", list(&failed));
    let tools: Vec<_> = turn.tools.iter().map(|(name, count)| format!("{name} {count}")).collect();
    add("tools", list(&tools));
    if turn.interrupted {
        add("ended", "the person interrupted".to_owned());
    }
    out
}

/// The first whole sentences that fit, in one line; else the start of the text.
fn sentences(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= most {
        return line;
    }
    let ends = line.char_indices().zip(line.chars().skip(1));
    let ends = ends.filter(|((_, here), next)| matches!(here, '.' | '!' | '?') && *next == ' ');
    let end = ends.map(|((at, _), _)| at + 1).take_while(|&at| at <= most).last();
    match end.filter(|&end| end > most / 3) {
        Some(end) => line[..end].to_owned(),
        None => cut(&line, most),
    }
}

/// The first `most` bytes of a text, at a character boundary.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|&at| at <= most).last().unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_where_there_is_room() {
        assert_eq!(sentences("One.\n Two.", 18), "One. Two.");
        assert_eq!(sentences("One. Two is longer. Three.", 20), "One. Two is longer.");
        assert_eq!(sentences("no end at all here", 6), "no end…");
        assert_eq!(sentences("äöü äöü", 3), "ä…");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn prompts_stay_word_for_word_and_the_rest_is_bounded() {
        let turn = |number: usize| TurnExtract {
            prompt: Some(format!("prompt {number}  with   spaces\n")),
            replies: vec!["A reply of some length. ".repeat(50); 3],
            commands: (0..99).map(|at| format!("command {at} {}", "x".repeat(300))).collect(),
            ..TurnExtract::default()
        };
        let extract = Extract { turns: (0..500).map(turn).collect(), ..Extract::default() };
        let text = of(&extract);
        assert!((0..500).all(|number| text.contains(&format!("prompt {number}  with   spaces\n"))));
        assert!(text.len() < MAX_BYTES + 500 * 70, "{}", text.len());
        // The newest turns keep most.
        let (old, new) = text.split_at(text.len() / 4);
        assert!(!old.contains("ran") && new.contains("and 95 more"), "{text}");
        assert_eq!(of(&extract), text);
    }
}
