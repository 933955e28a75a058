//! Grep, Glob, and the web.

use crate::json;
use crate::text::TextWriter;
use crate::turn::ToolCall;

/// A pattern is looked for and found in about `bytes` bytes of lines.
pub(crate) fn grep(writer: &mut TextWriter, bytes: usize) -> ToolCall {
    let pattern = writer.one("{func}");
    let mut found = String::new();
    let mut lines = 0_u64;
    while found.len() < bytes {
        writer.fill(&mut found, "{file}:{small}:    let {i} = ");
        found.push_str(&pattern);
        writer.fill(&mut found, "({i}, {num}); // {adj} {noun}\n");
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
    ToolCall { name: "Grep".into(), input, content: json::string(found), result, ..ToolCall::default() }
}

/// Only the names of the files.
pub(crate) fn grep_files(writer: &mut TextWriter) -> ToolCall {
    let pattern = writer.one("{type}");
    let files: Vec<String> = (0..writer.random.between(2, 12)).map(|_| writer.one("{file}")).collect();
    let input = json::object(|o| {
        o.string("pattern", &pattern).string("output_mode", "files_with_matches");
    });
    let result = json::object(|o| {
        o.string("mode", "files_with_matches").raw("filenames", &json::strings(&files));
        o.number("numFiles", files.len() as u64);
    });
    let content = json::string(&format!("Found {} files\n{}", files.len(), files.join("\n")));
    ToolCall { name: "Grep".into(), input, content, result, ..ToolCall::default() }
}

/// Files by name.
pub(crate) fn glob(writer: &mut TextWriter) -> ToolCall {
    let files: Vec<String> = (0..writer.random.between(1, 20)).map(|_| writer.path()).collect();
    let input = json::object(|o| {
        o.string("pattern", &writer.one("{area}/**/*"));
    });
    let took = writer.random.between(4, 300);
    let result = json::object(|o| {
        o.raw("filenames", &json::strings(&files)).number("durationMs", took);
        o.number("numFiles", files.len() as u64).boolean("truncated", false);
    });
    ToolCall {
        name: "Glob".into(),
        input,
        content: json::string(&files.join("\n")),
        result,
        ..ToolCall::default()
    }
}

/// A page is fetched and summed up.
pub(crate) fn web_fetch(writer: &mut TextWriter) -> ToolCall {
    let url = writer.one("https://docs.example.org/{pkg}/{small}/{mod}");
    let answer = writer.answer(2);
    let question = writer.one("How does {pkg} {verb} a {adj} {noun}?");
    let input = json::object(|o| {
        o.string("url", &url).string("prompt", &question);
    });
    let (bytes, took) = (writer.random.between(9_000, 90_000), writer.random.between(400, 5_000));
    let result = json::object(|o| {
        o.number("bytes", bytes).raw("code", b"200").string("codeText", "OK").string("result", &answer);
        o.number("durationMs", took).string("url", &url);
    });
    ToolCall { name: "WebFetch".into(), input, content: json::string(&answer), result, ..ToolCall::default() }
}

/// The web is searched.
pub(crate) fn web_search(writer: &mut TextWriter, id: &str) -> ToolCall {
    let query = writer.one("{pkg} {verb} {adj} {noun}");
    let links: Vec<Vec<u8>> = (0..writer.random.between(3, 9))
        .map(|_| {
            let (title, url) = (writer.title(), writer.one("https://www.example.com/{mod}/{small}"));
            json::object(|o| {
                o.string("title", &title).string("url", &url);
            })
        })
        .collect();
    let said = writer.answer(1);
    let content = json::string(&format!("Web search results for query: \"{query}\"\n\n{said}"));
    let seconds = writer.random.between(2, 30) as f64 + 0.25;
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
    ToolCall { name: "WebSearch".into(), input, content, result, ..ToolCall::default() }
}
