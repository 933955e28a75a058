//! Grep, Glob, and the web.

use crate::json;
use crate::text::Scribe;
use crate::turn::Exchange;

/// A pattern is looked for and found in about `bytes` bytes of lines.
pub(crate) fn grep(scribe: &mut Scribe, bytes: usize) -> Exchange {
    let pattern = scribe.one("{func}");
    let mut found = String::new();
    let mut lines = 0_u64;
    while found.len() < bytes {
        scribe.fill(&mut found, "{file}:{small}:    let {i} = ");
        found.push_str(&pattern);
        scribe.fill(&mut found, "({i}, {num}); // {adj} {noun}\n");
        lines += 1;
    }
    let found = found.trim_end();
    let input = json::object(|o| {
        o.string("pattern", &pattern).string("output_mode", "content").boolean("-n", true);
    });
    let result = json::object(|o| {
        o.string("mode", "content").raw("numFiles", b"0").raw("filenames", b"[]");
        o.string("content", found).number("numLines", lines);
    });
    Exchange { name: "Grep".into(), input, content: json::string(found), result, ..Exchange::default() }
}

/// Only the names of the files.
pub(crate) fn grep_files(scribe: &mut Scribe) -> Exchange {
    let pattern = scribe.one("{type}");
    let files: Vec<String> = (0..scribe.random.between(2, 12)).map(|_| scribe.one("{file}")).collect();
    let input = json::object(|o| {
        o.string("pattern", &pattern).string("output_mode", "files_with_matches");
    });
    let result = json::object(|o| {
        o.string("mode", "files_with_matches").raw("filenames", &json::strings(&files));
        o.number("numFiles", files.len() as u64);
    });
    let content = json::string(&format!("Found {} files\n{}", files.len(), files.join("\n")));
    Exchange { name: "Grep".into(), input, content, result, ..Exchange::default() }
}

/// Files by name.
pub(crate) fn glob(scribe: &mut Scribe) -> Exchange {
    let files: Vec<String> = (0..scribe.random.between(1, 20)).map(|_| scribe.path()).collect();
    let input = json::object(|o| {
        o.string("pattern", &scribe.one("{area}/**/*"));
    });
    let took = scribe.random.between(4, 300);
    let result = json::object(|o| {
        o.raw("filenames", &json::strings(&files)).number("durationMs", took);
        o.number("numFiles", files.len() as u64).boolean("truncated", false);
    });
    Exchange {
        name: "Glob".into(),
        input,
        content: json::string(&files.join("\n")),
        result,
        ..Exchange::default()
    }
}

/// A page is fetched and summed up.
pub(crate) fn web_fetch(scribe: &mut Scribe) -> Exchange {
    let url = scribe.one("https://docs.example.org/{pkg}/{small}/{mod}");
    let answer = scribe.answer(2);
    let question = scribe.one("How does {pkg} {verb} a {adj} {noun}?");
    let input = json::object(|o| {
        o.string("url", &url).string("prompt", &question);
    });
    let (bytes, took) = (scribe.random.between(9_000, 90_000), scribe.random.between(400, 5_000));
    let result = json::object(|o| {
        o.number("bytes", bytes).raw("code", b"200").string("codeText", "OK").string("result", &answer);
        o.number("durationMs", took).string("url", &url);
    });
    Exchange { name: "WebFetch".into(), input, content: json::string(&answer), result, ..Exchange::default() }
}

/// The web is searched.
pub(crate) fn web_search(scribe: &mut Scribe, id: &str) -> Exchange {
    let query = scribe.one("{pkg} {verb} {adj} {noun}");
    let links: Vec<Vec<u8>> = (0..scribe.random.between(3, 9))
        .map(|_| {
            let (title, url) = (scribe.title(), scribe.one("https://www.example.com/{mod}/{small}"));
            json::object(|o| {
                o.string("title", &title).string("url", &url);
            })
        })
        .collect();
    let said = scribe.answer(1);
    let content = json::string(&format!("Web search results for query: \"{query}\"\n\n{said}"));
    let seconds = scribe.random.between(2, 30) as f64 + 0.25;
    let result = json::object(|o| {
        o.string("query", &query).array("results", |results| {
            results.object(|hit| {
                hit.string("tool_use_id", id);
                hit.raw("content", &json::list(links.iter().map(Vec::as_slice)));
            });
            results.string(&said);
        });
        o.float("durationSeconds", seconds);
    });
    let input = json::object(|o| {
        o.string("query", &query);
    });
    Exchange { name: "WebSearch".into(), input, content, result, ..Exchange::default() }
}
