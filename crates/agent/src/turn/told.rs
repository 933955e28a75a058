//! What the model was told and has in its context: it is not told again before a compaction.

use std::path::PathBuf;

use annals_json::Value;

/// What the model was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToldContext {
    /// The memory files that apply since a file was used.
    pub(super) memory: Vec<PathBuf>,
    /// The skills that it knows.
    pub(super) skills: Vec<String>,
    /// Whether plan mode is recorded.
    pub(super) has_plan_mode: bool,
}

impl ToldContext {
    /// Reads what attachments of the session have told.
    pub(super) fn of(attachments: &[Vec<u8>]) -> Self {
        let mut told = Self::default();
        for attachment in attachments {
            let Ok(attachment) = Value::parse(attachment) else { continue };
            let text = |key: &str| attachment.get(key).and_then(Value::text).map(|text| text.to_string());
            match text("type").as_deref() {
                Some("nested_memory") => told.memory.extend(text("path").map(PathBuf::from)),
                Some("skill_listing") => {
                    let names = attachment.get("names").into_iter().flat_map(Value::items);
                    let names: Vec<String> =
                        names.filter_map(Value::text).map(|name| name.to_string()).collect();
                    // Older clients write the lines alone.
                    let lines = || listed_names(&text("content").unwrap_or_default());
                    told.skills.extend(if names.is_empty() { lines() } else { names });
                }
                Some("plan_mode") => told.has_plan_mode = true,
                Some("plan_mode_exit") => told.has_plan_mode = false,
                _ => {}
            }
        }
        told
    }
}

/// Returns the names of a list of skills: `- name: what it is for`.
fn listed_names(content: &str) -> Vec<String> {
    let lines = content.lines().filter_map(|line| line.strip_prefix("- "));
    lines.filter_map(|line| line.split([':', ' ']).next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_read_in_every_form() {
        let attachments = [
            r#"{"type":"skill_listing","content":"- a (b): c\n- d: e\nmore: f","skillCount":2}"#,
            r#"{"type":"skill_listing","content":"- x: y","names":["g"]}"#,
            r#"{"type":"nested_memory","path":"/w/CLAUDE.md"}"#,
            r#"{"type":"plan_mode","reminderType":"full"}"#,
            "broken",
        ];
        let told = ToldContext::of(&attachments.map(|json| json.as_bytes().to_vec()));
        assert!(told.has_plan_mode);
        let ended = [r#"{"type":"plan_mode"}"#, r#"{"type":"plan_mode_exit"}"#];
        assert!(!ToldContext::of(&ended.map(|json| json.as_bytes().to_vec())).has_plan_mode);
        assert_eq!(told.skills, ["a", "d", "g"]);
        assert_eq!(told.memory, [PathBuf::from("/w/CLAUDE.md")]);
    }
}
