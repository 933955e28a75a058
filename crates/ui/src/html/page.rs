//! Whole pages: a conversation as one file that works offline, and a list of such files.
//!
//! A page carries its style and a small script, which only adds comfort: everything can be read without it. Its policy names
//! both by their hashes and forbids everything else, so nothing of a transcript can run or load, even if it got into a tag.

use crate::figures::counted;
use crate::view::{Conversation, ItemBody, opening};

use super::HtmlOptions;
use super::escape::{attribute, escape_line};
use super::parts::{PagePart, join_parts, parts};

const STYLE: &str = concat!(include_str!("style.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("page.js");

/// The hashes that the policy names, in Base64: a test keeps them up to date.
const STYLE_HASH: &str = "bHJiluRbNB9ank+eM12mobOcqi1gyuhGd2/yFpc8zMo=";
const SCRIPT_HASH: &str = "rhZ+NHYfax7DN2ZH22G0JvgdDcXlzrp21Tp/gTkck9I=";

/// How much of a prompt the outline shows.
const OPENING: usize = 80;

/// What stands above a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageHeader {
    /// The title of the session.
    pub title: String,
    /// Names and values: id, project, dates, models, cost.
    pub facts: Vec<(&'static str, String)>,
}

/// The sessions of a project, in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexGroup {
    /// The folder of the project.
    pub project: String,
    /// Its sessions.
    pub rows: Vec<IndexRow>,
}

/// A session in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexRow {
    /// The file, beside the list.
    pub file: String,
    /// The title of the session.
    pub title: String,
    pub id: String,
    /// When it was active.
    pub date: String,
    /// How many turns it has.
    pub turns: String,
    pub cost: String,
}

/// Writes the page of a conversation.
pub fn page(header: &PageHeader, talk: &Conversation, options: &HtmlOptions<'_>, out: &mut String) {
    let mut drawn: Vec<_> = parts(talk).into_iter().map(|items| PagePart::draw(items, options)).collect();
    page_of_parts(header, &mut drawn, options).iter().for_each(|piece| out.push_str(piece));
}

/// Returns the pieces of the page of a conversation whose [`parts`] have been drawn with the same options; what was drawn is
/// taken out of them.
pub fn page_of_parts(
    header: &PageHeader,
    drawn: &mut [PagePart<'_>],
    options: &HtmlOptions<'_>,
) -> Vec<String> {
    let mut out = String::new();
    opening_of_page(header, drawn, &mut out);
    let mut pieces = vec![out];
    join_parts(drawn, options, &mut |piece| pieces.push(piece));
    let end = "</main><footer>Written by annals. j and k go from turn to turn.</footer><script>";
    pieces.push([end, SCRIPT, "</script>\n"].concat());
    pieces
}

/// Writes what stands above the conversation.
fn opening_of_page(header: &PageHeader, drawn: &[PagePart<'_>], out: &mut String) {
    head(&header.title, &format!("script-src 'sha256-{SCRIPT_HASH}'; "), out);
    out.push_str("<a class=skip href=#talk>Skip to the conversation</a><header><h1>");
    escape_line(&header.title, out);
    out.push_str("</h1><dl class=facts>");
    for (name, value) in &header.facts {
        out.push_str("<dt>");
        escape_line(name, out);
        out.push_str("<dd>");
        escape_line(value, out);
    }
    out.push_str("</dl></header>");
    outline(drawn, out);
    out.push_str("<main id=talk class=talk>");
}

/// The prompts of a conversation, as links.
fn outline(drawn: &[PagePart<'_>], out: &mut String) {
    let items = drawn.iter().flat_map(|part| part.items.iter());
    let prompts = items.filter_map(|item| match &item.body {
        ItemBody::Prompt(prompt) if item.position.line > 0 => Some((item.position.line, prompt)),
        _ => None,
    });
    let prompts: Vec<_> = prompts.collect();
    if prompts.len() < 2 {
        return;
    }
    out.push_str("<nav class=outline aria-label=Prompts><details><summary>");
    out.push_str(&counted(prompts.len(), "prompt"));
    out.push_str("</summary><ol>");
    for (line, prompt) in prompts {
        out.push_str(&format!("<li><a href=#L{line}>"));
        let text = opening(&prompt.text, OPENING);
        escape_line(if text.is_empty() { "(no text)" } else { &text }, out);
        out.push_str("</a>");
    }
    out.push_str("</ol></details></nav>");
}

/// Writes a list of pages, by project.
pub fn index(title: &str, groups: &[IndexGroup], out: &mut String) {
    head(title, "", out);
    out.push_str("<header><h1>");
    escape_line(title, out);
    out.push_str("</h1></header><main>");
    for group in groups {
        out.push_str("<section><h2>");
        escape_line(&group.project, out);
        out.push_str("</h2><table class=list><tr><th>Session<th>Last active<th class=\"number wide\">Turns<th class=number>Cost");
        for row in &group.rows {
            out.push_str("<tr><td><a");
            attribute("href", &row.file, out);
            attribute("title", &row.id, out);
            out.push('>');
            escape_line(&row.title, out);
            out.push_str("</a><td>");
            escape_line(&row.date, out);
            out.push_str("<td class=\"number wide\">");
            escape_line(&row.turns, out);
            out.push_str("<td class=number>");
            escape_line(&row.cost, out);
        }
        out.push_str("</table></section>");
    }
    out.push_str("</main><footer>Written by annals.</footer>\n");
}

fn head(title: &str, script: &str, out: &mut String) {
    out.push_str("<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=Content-Security-Policy content=\"");
    out.push_str(&format!("default-src 'none'; img-src data:; style-src 'sha256-{STYLE_HASH}'; {script}"));
    out.push_str("base-uri 'none'; form-action 'none'\"><meta name=viewport content=\"width=device-width,initial-scale=1\">");
    out.push_str("<meta name=referrer content=no-referrer><meta name=generator content=annals><title>");
    escape_line(title, out);
    out.push_str("</title><style>");
    out.push_str(STYLE);
    out.push_str("</style><body>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
        assert_eq!((STYLE_HASH, SCRIPT_HASH), (hash(STYLE).as_str(), hash(SCRIPT).as_str()));
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</"), "the element would end");
    }
}
