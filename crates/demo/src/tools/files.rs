//! Read, Edit, MultiEdit and Write.

use annals_json::ObjectWriter;

use crate::era::Era;
use crate::json;
use crate::random::Random;
use crate::turn::ToolCall;

fn path_input(path: &str) -> Vec<u8> {
    json::object(|o| {
        o.string("file_path", path);
    })
}

/// A file is read: the model sees numbered lines, the result keeps the text.
pub(crate) fn read(era: Era, path: &str, text: &str) -> ToolCall {
    let lines = text.lines().count() as u64;
    let result = json::object(|o| {
        o.string("type", "text").object("file", |file| {
            file.string("filePath", path).string("content", text).number("numLines", lines);
            file.raw("startLine", b"1").number("totalLines", lines);
        });
    });
    ToolCall {
        name: "Read".into(),
        input: path_input(path),
        content: json::string(&numbered(era, text)),
        result,
        ..ToolCall::default()
    }
}

/// A picture is read.
pub(crate) fn read_image(path: &str, data: &str, size: usize) -> ToolCall {
    let result = json::object(|o| {
        o.string("type", "image").object("file", |file| {
            file.string("base64", data).string("type", "image/png").number("originalSize", size as u64);
        });
    });
    let content = json::list([json::image(data).as_slice()]);
    ToolCall { name: "Read".into(), input: path_input(path), content, result, ..ToolCall::default() }
}

fn numbered(era: Era, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut digits = String::new();
    for (at, line) in text.lines().enumerate() {
        digits.clear();
        digits.push_str(&(at + 1).to_string());
        if era < Era::Attachments {
            out.extend(std::iter::repeat_n(' ', 6_usize.saturating_sub(digits.len())));
            out.push_str(&digits);
            out.push('→');
        } else {
            out.push_str(&digits);
            out.push('\t');
        }
        out.push_str(line);
        out.push('\n');
    }
    out.pop();
    out
}

/// A change to `original`: some of its lines and what takes their place.
pub(crate) struct FileChange {
    pub(crate) old: String,
    pub(crate) new: String,
    /// Where `old` begins, counted from one.
    pub(crate) start: usize,
}

impl FileChange {
    /// Picks two to seven lines of `original` that give way to `new`.
    pub(crate) fn within(random: &mut Random, original: &str, new: String) -> Self {
        let lines: Vec<&str> = original.lines().collect();
        let length = (random.between(2, 7) as usize).min(lines.len());
        let start = random.below((lines.len() - length) as u64 + 1) as usize;
        Self {
            old: lines[start..start + length].join("\n"),
            new: new.trim_end().to_owned(),
            start: start + 1,
        }
    }

    /// The file afterwards.
    pub(crate) fn apply(&self, original: &str) -> String {
        original.replacen(&self.old, &self.new, 1)
    }
}

fn patch(o: &mut ObjectWriter<'_>, change: &FileChange) {
    o.array("structuredPatch", |hunks| {
        hunks.object(|hunk| {
            hunk.number("oldStart", change.start as u64)
                .number("oldLines", change.old.lines().count() as u64);
            hunk.number("newStart", change.start as u64)
                .number("newLines", change.new.lines().count() as u64);
            hunk.array("lines", |lines| {
                for line in change.old.lines() {
                    lines.string(&format!("-{line}"));
                }
                for line in change.new.lines() {
                    lines.string(&format!("+{line}"));
                }
            });
        });
    });
}

/// One replacement. The newest clients do not always repeat the original.
pub(crate) fn edit(path: &str, change: &FileChange, original: Option<&str>) -> ToolCall {
    let input = json::object(|o| {
        o.string("file_path", path).string("old_string", &change.old).string("new_string", &change.new);
        o.boolean("replace_all", false);
    });
    let result = json::object(|o| {
        o.string("filePath", path).string("oldString", &change.old).string("newString", &change.new);
        o.string_or_null("originalFile", original);
        patch(o, change);
        o.boolean("userModified", false).boolean("replaceAll", false);
    });
    let content = json::string(&format!("The file {path} has been updated successfully."));
    ToolCall { name: "Edit".into(), input, content, result, ..ToolCall::default() }
}

/// Several replacements at once, as 1.0.x had them.
pub(crate) fn multi_edit(path: &str, change: &FileChange, original: &str) -> ToolCall {
    let edits = |all: &[(&str, bool)]| {
        json::object(|o| {
            o.string("old_string", &change.old).string("new_string", &change.new);
            for (key, value) in all {
                o.boolean(key, *value);
            }
        })
    };
    let input = json::object(|o| {
        o.string("file_path", path).raw("edits", &json::list([edits(&[]).as_slice()]));
    });
    let result = json::object(|o| {
        o.string("filePath", path).raw("edits", &json::list([edits(&[("replace_all", false)]).as_slice()]));
        o.string("originalFileContents", original);
        patch(o, change);
        o.boolean("userModified", false);
    });
    let content = json::string(&format!("Applied 1 edit to {path}"));
    ToolCall { name: "MultiEdit".into(), input, content, result, ..ToolCall::default() }
}

/// A whole file is written; with an original it is an update.
pub(crate) fn write(era: Era, path: &str, text: &str, original: Option<&str>) -> ToolCall {
    let input = json::object(|o| {
        o.string("file_path", path).string("content", text);
    });
    let result = json::object(|o| {
        o.string("type", if original.is_some() { "update" } else { "create" });
        o.string("filePath", path).string("content", text).raw("structuredPatch", b"[]");
        if era > Era::First {
            o.string_or_null("originalFile", original);
        }
        if era >= Era::Attachments {
            o.boolean("userModified", false);
        }
    });
    let content = json::string(&format!("File created successfully at: {path}"));
    ToolCall { name: "Write".into(), input, content, result, ..ToolCall::default() }
}
