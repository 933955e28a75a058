//! HTML to Markdown, as far as a reader needs it: headings, paragraphs, lists, links, code. One pass, no tree.

/// Elements whose content is no text.
const SILENT: [&str; 8] = ["script", "style", "noscript", "svg", "template", "iframe", "select", "head"];
/// Elements that stand on lines of their own.
const BLOCKS: [&str; 24] = [
    "p",
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "nav",
    "aside",
    "table",
    "tr",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "figure",
    "figcaption",
    "form",
    "blockquote",
    "hr",
    "body",
    "html",
    "details",
];

/// The text of a page, in Markdown.
pub fn to_markdown(html: &str) -> String {
    let mut writer = Writer::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        writer.text(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let is_tag = rest[1..]
            .starts_with(|letter: char| letter.is_ascii_alphabetic() || matches!(letter, '/' | '!' | '?'));
        if !is_tag {
            writer.text("<");
            rest = &rest[1..];
            continue;
        }
        let end = tag_end(rest);
        let tag = Tag::read(&rest[1..end]);
        rest = rest[end..].strip_prefix('>').unwrap_or("");
        if !tag.closes && SILENT.contains(&tag.name.as_str()) && !tag.raw.ends_with('/') {
            rest = after_closing(rest, &tag.name);
            continue;
        }
        writer.tag(&tag);
    }
    writer.text(rest);
    writer.finish()
}

/// Letters of a tag. Quotes that never end must not make a page be read again for each of them.
const MOST_OF_A_TAG: usize = 4096;

/// Where a tag ends; a `>` in quotes is none.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, letter) in text.char_indices().take(MOST_OF_A_TAG) {
        match (quote, letter) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    // A quote that never ends is a letter.
    text.find('>').unwrap_or(text.len())
}

/// What follows the end of an element, whatever is in it.
fn after_closing<'t>(text: &'t str, name: &str) -> &'t str {
    let mut from = 0;
    while let Some(at) = text[from..].find("</").map(|at| from + at) {
        let named = &text.as_bytes()[at + 2..];
        if named.len() >= name.len() && named[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return text[at..].find('>').map_or("", |end| &text[at + end + 1..]);
        }
        from = at + 2;
    }
    ""
}

struct Tag<'t> {
    name: String,
    closes: bool,
    raw: &'t str,
}

impl<'t> Tag<'t> {
    fn read(raw: &'t str) -> Self {
        let (closes, inner) = raw.strip_prefix('/').map_or((false, raw), |inner| (true, inner));
        let end = inner.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(inner.len());
        Self { name: inner[..end].to_ascii_lowercase(), closes, raw }
    }

    /// The value of an attribute.
    fn attribute(&self, name: &str) -> Option<String> {
        let lower = self.raw.to_ascii_lowercase();
        let mut from = 0;
        while let Some(at) = lower[from..].find(name).map(|at| from + at) {
            from = at + name.len();
            let before = lower[..at].chars().next_back().is_some_and(|letter| letter.is_whitespace());
            let Some(value) = self.raw[from..].trim_start().strip_prefix('=').filter(|_| before) else {
                continue;
            };
            let value = value.trim_start();
            let quoted = value.chars().next().filter(|letter| matches!(letter, '"' | '\''));
            let value = match quoted {
                Some(quote) => value[1..].split(quote).next(),
                None => value.split(|letter: char| letter.is_whitespace()).next(),
            };
            return value.map(decoded);
        }
        None
    }
}

#[derive(Default)]
struct Writer {
    out: String,
    /// A space is due before the next word.
    space: bool,
    in_pre: usize,
    /// Where the text of the open link begins, and where it leads.
    link: Option<(usize, String)>,
}

impl Writer {
    fn text(&mut self, raw: &str) {
        if raw.is_empty() {
            return;
        }
        let text = decoded(raw);
        if self.in_pre > 0 {
            self.out.push_str(&text);
            return;
        }
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            self.space |= number > 0;
            if word.is_empty() {
                continue;
            }
            self.gap();
            self.out.push_str(word);
        }
    }

    /// The space that is due, unless a line begins.
    fn gap(&mut self) {
        if std::mem::take(&mut self.space) && !self.out.is_empty() && !self.out.ends_with(['\n', ' ']) {
            self.out.push(' ');
        }
    }

    fn lines(&mut self, wanted: usize) {
        self.space = false;
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        let there = self.out.len() - self.out.trim_end_matches('\n').len();
        if !self.out.is_empty() && there < wanted {
            self.out.push_str(&"\n".repeat(wanted - there));
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        match (tag.name.as_str(), tag.closes) {
            ("br", _) => self.lines(1),
            (heading @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6"), false) => {
                self.lines(2);
                let level = usize::from(heading.as_bytes()[1] - b'0');
                self.out.push_str(&"#".repeat(level));
                self.out.push(' ');
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", true) => self.lines(2),
            ("li", false) => {
                self.lines(1);
                self.out.push_str("- ");
            }
            ("li", true) => self.lines(1),
            ("td" | "th", true) => {
                self.space = true;
                self.text("| ");
            }
            ("pre", false) => {
                self.lines(2);
                self.out.push_str("```\n");
                self.in_pre += 1;
            }
            ("pre", true) if self.in_pre > 0 => {
                self.in_pre -= 1;
                self.lines(1);
                self.out.push_str("```");
                self.lines(2);
            }
            ("code", _) if self.in_pre == 0 => {
                if !tag.closes {
                    self.gap();
                }
                self.out.push('`');
            }
            ("a", false) => {
                // Links do not stand in links: one that was not closed ends here.
                self.end_link();
                if let Some(to) = tag.attribute("href").filter(|to| !to.starts_with(['#', 'j', 'J'])) {
                    self.gap();
                    self.link = Some((self.out.len(), to));
                }
            }
            ("a", true) => self.end_link(),
            (name, _) if BLOCKS.contains(&name) => {
                self.lines(if matches!(name, "tr" | "dt" | "dd") { 1 } else { 2 })
            }
            _ => {}
        }
    }

    fn end_link(&mut self) {
        let Some((start, to)) = self.link.take() else { return };
        // Lines may have been trimmed meanwhile.
        let named = self.out.get(start..).map(str::trim).unwrap_or_default().replace('\n', " ");
        if !named.is_empty() {
            self.out.truncate(start);
            self.out.push_str(&format!("[{named}]({to})"));
        }
    }

    fn finish(mut self) -> String {
        self.lines(0);
        self.out.trim().to_owned()
    }
}

/// Names of letters that pages use.
const NAMED: [(&str, &str); 18] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("copy", "©"),
    ("rarr", "→"),
    ("larr", "←"),
    ("middot", "·"),
    ("bull", "•"),
];

/// The text with the names of letters replaced by the letters.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let letter = end.and_then(|end| letter_of(&rest[..end]).map(|letter| (letter, end)));
        match letter {
            Some((letter, end)) => {
                out.push_str(&letter);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

fn letter_of(name: &str) -> Option<String> {
    if let Some((_, letter)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some((*letter).to_owned());
    }
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(char::from_u32(code)?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_readable() {
        for (html, markdown) in [
            (
                "<html><head><title>x</title></head><body><h1>A  b</h1><p>One\n two</p></body>",
                "# A b\n\nOne two",
            ),
            ("<p>a <b>b</b>c</p><p>d</p>", "a bc\n\nd"),
            ("<ul><li>one</li><li>two <a href='/x'>there</a></li></ul>", "- one\n- two [there](/x)"),
            ("<pre><code>a\n  b &lt;c&gt;</code></pre>end", "```\na\n  b <c>\n```\n\nend"),
            ("use <code>x</code>!", "use `x`!"),
            ("<script>if (a</b) {}</script>x<!-- <p>y --><style>z", "x"),
            ("1 < 2 &amp;&amp; 3 &gt; 2 &#233;&#xe9;&unknown; & end", "1 < 2 && 3 > 2 éé&unknown; & end"),
            ("<a href=\"a>b\" class=x>t</a><a href=javascript:x>u</a>", "[t](a>b)u"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a | b |\nc |"),
            ("<a href=1>one <a href=2>two</a> three</a> <a>four</a>", "[one](1) [two](2) three four"),
            ("<p unclosed", ""),
            ("<div><div><div>deep</div></div></div>", "deep"),
            ("", ""),
        ] {
            assert_eq!(to_markdown(html), markdown, "{html}");
        }
    }

    /// Each end of a link once wrote all of the text anew.
    #[test]
    fn links_in_links_take_no_time() {
        let html = format!("{}{}", "<a href=b>x".repeat(300_000), "</a>".repeat(300_000));
        assert_eq!(to_markdown(&html), "[x](b)".repeat(300_000));
    }
}
