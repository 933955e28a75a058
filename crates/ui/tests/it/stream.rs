//! Markdown that arrives in pieces.

use annals_ui::terminal::{MarkdownStream, RenderOptions, StyledLine, markdown};
use proptest::prelude::*;

use crate::snapshot::check;

/// Pieces of Markdown that meet each other in every way: blocks, beginnings of blocks, and what ends them.
const FRAGMENTS: [&str; 42] = [
    "word ",
    "two words\n",
    "\n",
    "\n\n",
    "# Heading\n",
    "Setext\n",
    "===\n",
    "---\n",
    "- item\n",
    "* other\n",
    "  - nested\n",
    "  more of it\n",
    "1. first\n",
    "7. seventh\n",
    "    indented code\n",
    "```rust\n",
    "```\n",
    "fn main() {}\n",
    "~~~\n",
    "> quoted\n",
    "> - in a quote\n",
    "lazy\n",
    "| a | b |\n",
    "|---|--:|\n",
    "| 1 | 2 |\n",
    "**bold",
    "** ",
    "*soft* ",
    "`code` ",
    "[text](http://a.b) ",
    "<http://c.d>\n",
    "<div>\n",
    "</div>\n",
    "<!-- note",
    " -->\n",
    "日本語 ",
    "🦀 ",
    "\u{1b}[31mred\u{1b}[0m ",
    "tab\tend\r\n",
    "- [x] done\n",
    "\\\n",
    "&amp; ",
];

fn plain(columns: usize) -> RenderOptions<'static> {
    RenderOptions::plain(columns)
}

/// Feeds a text in pieces that end at these characters.
fn streamed(text: &str, cuts: &[usize], columns: usize) -> Vec<StyledLine> {
    let (mut stream, mut lines) = (MarkdownStream::default(), Vec::new());
    let characters: Vec<char> = text.chars().collect();
    let mut start = 0;
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (characters.len() + 1)).collect();
    ends.push(characters.len());
    ends.sort_unstable();
    for end in ends {
        let piece: String = characters[start..end].iter().collect();
        lines.extend(stream.push(&piece, columns, &plain(columns)));
        start = end;
    }
    lines.extend(stream.finish(columns, &plain(columns)));
    assert!(stream.is_empty());
    lines
}

fn page(lines: &[StyledLine]) -> String {
    let text = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
    lines.iter().map(|line| text(line).trim_end().to_owned() + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(annals_testkit::depth::cases(2000)))]

    #[test]
    fn any_cuts_draw_the_same(
        picks in prop::collection::vec(0..FRAGMENTS.len(), 0..24),
        cuts in prop::collection::vec(0..400_usize, 0..40),
        columns in 8..60_usize,
    ) {
        let text: String = picks.iter().map(|pick| FRAGMENTS[*pick]).collect();
        prop_assert_eq!(streamed(&text, &cuts, columns), markdown(&text, columns, &plain(columns)), "{:?}", text);
    }
}

#[test]
fn one_character_at_a_time() {
    let text = "# Plan\n\nI *will*:\n\n- read `parse.rs`\n- fix **it**\n\n  later\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\nDone.";
    let cuts: Vec<usize> = (0..text.len()).collect();
    let lines = streamed(text, &cuts, 40);
    assert_eq!(lines, markdown(text, 40, &plain(40)));
    check(
        &page(&lines),
        "
# Plan

I will:

• read `parse.rs`

• fix it

  later

a │ b
──┼──
1 │ 2

╭─ rust ──────
│ fn main() {}
╰─────────────

Done.
[EOF]",
    );
}

#[test]
fn blocks_are_drawn_as_soon_as_the_next_one_begins() {
    let mut stream = MarkdownStream::default();
    let mut push = |text: &str| page(&stream.push(text, 40, &plain(40)));
    assert_eq!(push("# Plan\n"), "");
    assert_eq!(push("First"), "");
    assert_eq!(push(" part.\n"), "# Plan\n");
    assert_eq!(push("\n"), "");
    assert_eq!(push("- a\n- b\n"), "\nFirst part.\n");
    assert_eq!(page(&stream.preview(40, &plain(40))), "\n• a\n• b\n");
    assert_eq!(page(&stream.finish(40, &plain(40))), "\n• a\n• b\n");
}

#[test]
fn a_link_knows_the_definitions_above_it() {
    let text = "[docs]: http://docs.example\n\nSee [docs].\n\nAnd [docs] again.\n\nEnd.";
    assert_eq!(streamed(text, &[30, 45, 60], 60), markdown(text, 60, &plain(60)));
}

#[test]
fn a_long_block_has_a_short_preview() {
    let mut stream = MarkdownStream::default();
    stream.push(&"word ".repeat(10_000), 40, &plain(40));
    let preview = page(&stream.preview(40, &plain(40)));
    assert!(preview.len() < 5000 && preview.contains("word word"), "{}", preview.len());
}
