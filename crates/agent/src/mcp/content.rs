//! What a tool of a server answers, as the result of a call.

use annals_json::{ArrayWriter, RawJson, Value, compact, object};

use super::block::BlockReader;
use super::message::text;
use super::saved::ResultFiles;
use super::server::McpError;
use crate::tools::{Outcome, ToolContent};

/// Whose result it is, and how much of it the model sees.
pub(super) struct ResultLimits<'r> {
    pub(super) server: &'r str,
    /// The tool, by the name for the model.
    pub(super) tool: &'r str,
    /// The most characters.
    pub(super) max_chars: usize,
    /// Where the rest goes.
    pub(super) files: ResultFiles,
}

/// Returns the outcome of a call by the result of the server.
pub(super) fn outcome(result: &[u8], limits: &ResultLimits<'_>) -> Outcome {
    let Ok(result) = Value::parse(result) else {
        return Outcome::failed("the server's answer is not JSON", "the server's answer is not JSON");
    };
    let reader = BlockReader { server: limits.server, files: &limits.files };
    let content = result.get("content").into_iter().flat_map(Value::items);
    let blocks: Vec<Vec<u8>> = content.flat_map(|block| reader.read(block)).collect();
    if result.get("isError").and_then(Value::boolean) == Some(true) {
        let words = limits.cut(&texts(&blocks));
        return Outcome { meta: meta(result, None), ..Outcome::failed(words.clone(), &words) };
    }
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let meta = meta(result, structured);
    let (shown, kept) = match structured {
        // The original shows what is structured and drops the texts, which say the same.
        Some(structured) => limits.words(&compacted(structured), "json"),
        None if blocks.is_empty() => {
            (ToolContent::Text(format!("({} completed with no output)", limits.tool)), b"[]".to_vec())
        }
        None if texts(&blocks).chars().count() > limits.max_chars => limits.words(&texts(&blocks), "txt"),
        None => {
            let kept = list(&blocks);
            (ToolContent::Blocks(blocks), kept)
        }
    };
    Outcome { shown, kept, meta, ..Outcome::default() }
}

/// What a tool answered, as one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolAnswer {
    /// The texts, joined by line feeds.
    pub(crate) text: String,
    /// Whether the tool says that it failed.
    pub(crate) is_error: bool,
}

impl ToolAnswer {
    /// Reads the result of the server.
    pub(super) fn read(result: &[u8]) -> Result<Self, McpError> {
        let result = Value::parse(result).map_err(|_| McpError::Malformed("no JSON"))?;
        let blocks = result.get("content").into_iter().flat_map(Value::items);
        let words: Vec<String> = blocks.filter_map(|block| text(block, "text")).collect();
        let is_error = result.get("isError").and_then(Value::boolean) == Some(true);
        Ok(Self { text: words.join("\n"), is_error })
    }
}

impl ResultLimits<'_> {
    /// Returns a text for the model and for the session; one that is too long is saved, and named instead.
    pub(super) fn words(&self, words: &str, ending: &str) -> (ToolContent, Vec<u8>) {
        let length = words.chars().count();
        let words = match length > self.max_chars {
            true => format!(
                "The result has {length} characters, more than the {} that fit here; it was {}. Read it from there in parts.",
                self.max_chars,
                self.files.save(words.as_bytes(), ending)
            ),
            false => words.to_owned(),
        };
        let kept = RawJson::string(&words).raw().to_vec();
        (ToolContent::Text(words), kept)
    }

    fn cut(&self, words: &str) -> String {
        match words.char_indices().nth(self.max_chars) {
            Some((end, _)) => format!("{}\n[cut: {} characters]", &words[..end], words.chars().count()),
            None if words.is_empty() => "the tool failed and did not say why".to_owned(),
            None => words.to_owned(),
        }
    }
}

fn compacted(value: Value<'_>) -> String {
    let mut bytes = Vec::new();
    compact(value, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns what a server says beside its result; empty if it says nothing.
fn meta(result: Value<'_>, structured: Option<Value<'_>>) -> Vec<u8> {
    let meta = result.get("_meta").filter(|meta| !meta.is_null());
    let is_link = |block: &Value<'_>| {
        block.get("type").and_then(Value::text).is_some_and(|kind| kind.is("resource_link"))
    };
    let content = result.get("content").into_iter().flat_map(Value::items);
    let links: Vec<Value<'_>> = content.filter(is_link).collect();
    if structured.is_none() && meta.is_none() && links.is_empty() {
        return Vec::new();
    }
    object(|object| {
        if let Some(meta) = meta {
            object.raw("_meta", meta.raw());
        }
        if let Some(structured) = structured {
            object.raw("structuredContent", structured.raw());
        }
        if !links.is_empty() {
            object.array("resourceLinks", |list| {
                for link in &links {
                    list.object(|entry| {
                        for key in ["uri", "name", "description", "mimeType"] {
                            entry.string_if(key, text(*link, key).as_deref());
                        }
                    });
                }
            });
        }
    })
}

/// Returns the texts of blocks, joined by line feeds.
fn texts(blocks: &[Vec<u8>]) -> String {
    let words = |block: &Vec<u8>| text(Value::parse(block).ok()?, "text");
    blocks.iter().filter_map(words).collect::<Vec<_>>().join("\n")
}

fn list(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut json = Vec::new();
    let mut list = ArrayWriter::begin(&mut json);
    for block in blocks {
        list.item().extend_from_slice(block);
    }
    list.end();
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Outcome {
        let limits =
            ResultLimits { server: "srv", tool: "mcp__srv__t", max_chars: 100, files: ResultFiles::none() };
        outcome(json.as_bytes(), &limits)
    }

    #[test]
    fn blocks_are_kept_as_they_are_shown() {
        let outcome =
            of(r#"{"content":[{"type":"text","text":"5"},{"type":"text","text":"6"}],"_meta":{"a":1}}"#);
        let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("{outcome:?}") };
        assert_eq!((blocks.len(), outcome.is_error), (2, false));
        assert_eq!(outcome.kept, br#"[{"type":"text","text":"5"},{"type":"text","text":"6"}]"#);
        assert_eq!(outcome.meta, br#"{"_meta":{"a":1}}"#);
    }

    #[test]
    fn links_are_told_beside_the_result() {
        let outcome = of(r#"{"content":[{"type":"resource_link","name":"n","uri":"u","title":"t"}]}"#);
        assert_eq!(outcome.meta, br#"{"resourceLinks":[{"uri":"u","name":"n"}]}"#);
    }

    #[test]
    fn structured_content_takes_the_place_of_texts() {
        let outcome = of(r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"b": 1, "a":[2]}}"#);
        assert_eq!(outcome.shown, ToolContent::Text(r#"{"b":1,"a":[2]}"#.to_owned()));
        assert_eq!(outcome.kept, br#""{\"b\":1,\"a\":[2]}""#);
        assert_eq!(outcome.meta, br#"{"structuredContent":{"b": 1, "a":[2]}}"#);
    }

    #[test]
    fn errors_and_nothing_are_texts() {
        let failed =
            of(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true}"#);
        assert_eq!(failed, Outcome::failed("a\nb", "a\nb"));
        let nothing = of(r#"{"content":[]}"#);
        assert_eq!(nothing.shown, ToolContent::Text("(mcp__srv__t completed with no output)".to_owned()));
        assert_eq!((nothing.kept.as_slice(), nothing.is_error), (&b"[]"[..], false));
        assert!(of("x").is_error && of(r#"{"isError":true}"#).is_error);
    }

    #[test]
    fn a_result_that_is_too_long_is_named_and_not_shown() {
        let long = "y".repeat(101);
        for json in [
            format!(r#"{{"content":[{{"type":"text","text":"{long}"}}]}}"#),
            format!(r#"{{"content":[],"structuredContent":"{long}"}}"#),
        ] {
            let outcome = of(&json);
            let ToolContent::Text(words) = &outcome.shown else { panic!("{outcome:?}") };
            assert!(words.contains("more than the 100") && !words.contains("yyy"), "{words}");
            assert!(!outcome.is_error);
        }
        let failed = of(&format!(r#"{{"content":[{{"type":"text","text":"{long}"}}],"isError":true}}"#));
        let ToolContent::Text(words) = &failed.shown else { panic!("{failed:?}") };
        assert!(words.contains("[cut: 101 characters]"), "{words}");
    }
}
