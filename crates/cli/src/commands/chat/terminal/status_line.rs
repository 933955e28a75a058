//! The status line: a command of the person gets what is known of the session, and what it prints is shown below the prompt.
//!
//! It runs when a session opens, after each response, and when the model, the mode or the mode of vim changes; after a pause, since changes
//! come in groups. One that is still running then is ended.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use annals_agent::api::model::Model;
use annals_agent::hook_handlers::{HandlerContext, run_status_line};
use annals_agent::protocol::{Event, UsageStorage, tokens};
use annals_json::{ObjectWriter, Value, object};
use annals_policy::settings::StatusLineSetting;
use annals_store::session::WRITTEN_FORM;
use annals_transcript::price::Prices;
use annals_transcript::usage::{ServiceTier, Speed};
use annals_ui::figures;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use super::prompt_cache::PromptCache;
use super::ui_event::UiEvent;

/// How long a change waits for others.
const DEBOUNCE: Duration = Duration::from_millis(300);

/// What is known of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StatusFacts {
    pub(super) session: String,
    pub(super) transcript: String,
    pub(super) cwd: String,
    pub(super) project: String,
    pub(super) added: Vec<String>,
    pub(super) model: String,
    pub(super) effort: Option<&'static str>,
    /// Whether the model thinks.
    pub(super) thinks: bool,
    /// The title that a person has given.
    pub(super) title: Option<String>,
    /// The mode of vim, if prompts are edited as in vim.
    pub(super) vim: Option<&'static str>,
}

/// What a session has used since it was opened.
#[derive(Clone, Debug, Default)]
struct StatusUsage {
    dollars: f64,
    api_millis: u64,
    lines_added: u64,
    lines_removed: u64,
    /// The id of the last prompt.
    prompt: Option<String>,
    /// The last response: tokens of its request without and with the cache, and of its answer.
    last: Option<[u64; 4]>,
    cache: PromptCache,
    is_compacting: bool,
}

impl StatusUsage {
    /// Counts what an event says of the conversation itself, without its sub-agents. Returns whether the command should know.
    fn add_of_conversation(&mut self, event: &Event, effort: Option<&'static str>, now: i64) -> bool {
        match event {
            // A page that a model reads and a question of a hook have requests of their own.
            Event::Usage { model, usage, storage: UsageStorage::Session } => {
                let tokens = tokens(usage);
                let written = tokens.cache_write_5m + tokens.cache_write_1h;
                self.last = Some([tokens.input, written, tokens.cache_read, tokens.output]);
                self.cache.add(&tokens, model, effort, now);
                true
            }
            Event::Usage { .. } if self.is_compacting => {
                self.cache.renew(now);
                false
            }
            Event::Compacted { .. } => {
                (self.is_compacting, self.last) = (false, Some([0; 4]));
                self.cache.compacted();
                true
            }
            Event::Compacting | Event::Finished(_) | Event::Requesting => {
                self.is_compacting = matches!(event, Event::Compacting);
                false
            }
            _ => false,
        }
    }
}

/// The status line of a session.
pub(super) struct StatusLineRunner {
    setting: StatusLineSetting,
    handlers: Arc<HandlerContext>,
    prices: Prices,
    sender: UnboundedSender<UiEvent>,
    began: Instant,
    state: StatusFacts,
    usage: StatusUsage,
    size: (u16, u16),
    task: Option<JoinHandle<()>>,
}

impl StatusLineRunner {
    pub(super) fn new(
        setting: StatusLineSetting,
        handlers: HandlerContext,
        prices: Prices,
        sender: UnboundedSender<UiEvent>,
    ) -> Self {
        Self {
            setting,
            handlers: Arc::new(handlers),
            prices,
            sender,
            began: Instant::now(),
            state: StatusFacts::default(),
            usage: StatusUsage::default(),
            size: (80, 24),
            task: None,
        }
    }

    /// Runs the command for a state of the session.
    pub(super) fn update(&mut self, state: StatusFacts, size: (u16, u16)) {
        (self.state, self.size) = (state, size);
        self.run();
    }

    /// Runs the command if the mode of vim is another one.
    pub(super) fn set_vim(&mut self, vim: Option<&'static str>) {
        if self.state.vim != vim {
            self.state.vim = vim;
            self.run();
        }
    }

    /// Counts what an event says, and runs the command after a response.
    pub(super) fn add(&mut self, event: &UiEvent) {
        let UiEvent::Agent(event) = event else { return };
        match event.innermost() {
            Event::Usage { model, usage, .. } => {
                let cost = self.prices.cost(&tokens(usage), model, ServiceTier::Standard, Speed::Standard);
                self.usage.dollars += cost.usd().map_or(0.0, |usd| usd.dollars());
            }
            Event::PromptNamed(id) => self.usage.prompt = Some(id.clone()),
            Event::ToolDone { line, .. } => {
                let (added, removed) = changed_lines(&line.result);
                self.usage.lines_added += added;
                self.usage.lines_removed += removed;
            }
            Event::Finished(report) => self.usage.api_millis += report.api_millis,
            _ => {}
        }
        if self.usage.add_of_conversation(event, self.state.effort, now()) {
            self.run();
        }
    }

    fn run(&mut self) {
        let pause = if self.task.is_some() { DEBOUNCE } else { Duration::ZERO };
        self.stop();
        let (handlers, setting, sender) =
            (Arc::clone(&self.handlers), self.setting.clone(), self.sender.clone());
        let (state, usage, began, size) = (self.state.clone(), self.usage.clone(), self.began, self.size);
        self.task = Some(tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let folder = PathBuf::from(&state.cwd);
            loop {
                let input = input(&state, &usage, began.elapsed(), now());
                let printed = run_status_line(&handlers, &setting.command, &input, &folder, size).await;
                let text = printed.unwrap_or_default();
                // The receiver lives as long as the conversation.
                let _ = sender.send(UiEvent::StatusLine { text, padding: setting.padding });
                match setting.refresh {
                    Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
                    None => return,
                }
            }
        }));
    }

    fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

impl Drop for StatusLineRunner {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The time, in seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// The lines that an edit added and removed.
fn changed_lines(result: &[u8]) -> (u64, u64) {
    let patch = Value::parse(result).ok().and_then(|result| result.get("structuredPatch"));
    let Some(patch) = patch else { return (0, 0) };
    let mut changed = (0, 0);
    for hunk in patch.items() {
        for line in hunk.get("lines").iter().flat_map(|lines| lines.items()) {
            let text = line.text().map(|text| text.to_string()).unwrap_or_default();
            changed.0 += u64::from(text.starts_with('+'));
            changed.1 += u64::from(text.starts_with('-'));
        }
    }
    changed
}

/// What the command gets, by the contract of the original.
fn input(state: &StatusFacts, usage: &StatusUsage, elapsed: Duration, now: i64) -> Vec<u8> {
    let window = Model::of(&state.model).window;
    let context = usage.last.map(|[input, written, read, _]| input + written + read);
    let percent =
        context.map(|context| context.saturating_mul(100).checked_div(window).unwrap_or(0).min(100));
    let mut json = object(|object| {
        object.string("session_id", &state.session).string("transcript_path", &state.transcript);
        object.string("cwd", &state.cwd);
        // As with the original, once there is an answer.
        object.string_if("prompt_id", usage.prompt.as_deref().filter(|_| usage.last.is_some()));
        if let Some(effort) = state.effort {
            object.object("effort", |object| {
                object.string("level", effort);
            });
        }
        object.object("model", |model| {
            model.string("id", &state.model).string("display_name", &figures::display_model(&state.model));
        });
        object.object("workspace", |workspace| {
            workspace.string("current_dir", &state.cwd).string("project_dir", &state.project);
            workspace.array("added_dirs", |list| {
                state.added.iter().for_each(|folder| {
                    list.string(folder);
                });
            });
        });
        object.string("version", WRITTEN_FORM);
        object.object("output_style", |style| {
            style.string("name", "default");
        });
        object.object("cost", |cost| {
            cost.raw("total_cost_usd", format!("{:.6}", usage.dollars).as_bytes());
            cost.number("total_duration_ms", elapsed.as_millis() as i128);
            cost.number("total_api_duration_ms", usage.api_millis);
            cost.number("total_lines_added", usage.lines_added);
            cost.number("total_lines_removed", usage.lines_removed);
        });
        object.object("context_window", |context_window| {
            context_window.number("total_input_tokens", context.unwrap_or(0));
            context_window.number("total_output_tokens", usage.last.map_or(0, |[.., output]| output));
            context_window.number("context_window_size", window);
            number_or_null(context_window, "used_percentage", percent);
            number_or_null(context_window, "remaining_percentage", percent.map(|percent| 100 - percent));
            match usage.last {
                Some([input, written, read, output]) => {
                    context_window.object("current_usage", |current| {
                        current.number("input_tokens", input).number("output_tokens", output);
                        current.number("cache_creation_input_tokens", written);
                        current.number("cache_read_input_tokens", read);
                    });
                }
                None => {
                    context_window.raw("current_usage", b"null");
                }
            }
        });
        object.boolean("exceeds_200k_tokens", context.is_some_and(|context| context > 200_000));
        usage.cache.write(object, now);
        object.boolean("fast_mode", false);
        object.object("thinking", |thinking| {
            thinking.boolean("enabled", state.thinks);
        });
        object.string_if("session_name", state.title.as_deref());
        if let Some(mode) = state.vim {
            object.object("vim", |vim| {
                vim.string("mode", mode);
            });
        }
    });
    json.push(b'\n');
    json
}

fn number_or_null(object: &mut ObjectWriter<'_>, key: &str, number: Option<u64>) {
    match number {
        Some(number) => object.number(key, number),
        None => object.raw(key, b"null"),
    };
}

#[cfg(test)]
mod tests {
    use annals_agent::api::usage::Usage;
    use annals_transcript::draft::CompactionTrigger;

    use super::*;

    #[test]
    fn the_input_has_the_form_of_the_original() {
        let state = StatusFacts {
            session: "s".into(),
            transcript: "/t.jsonl".into(),
            cwd: "/w".into(),
            project: "/w".into(),
            model: "claude-opus-4-5-20251101".into(),
            ..StatusFacts::default()
        };
        let text = |usage: &StatusUsage| {
            let json = input(&state, usage, Duration::from_millis(1500), 0);
            String::from_utf8_lossy(&json).trim_end().to_owned()
        };
        let first = text(&StatusUsage::default());
        let expected = r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/w","model":{"id":"claude-opus-4-5-20251101","display_name":"Opus 4.5"},"workspace":{"current_dir":"/w","project_dir":"/w","added_dirs":[]},"version":"#;
        assert!(first.starts_with(expected), "{first}");
        assert!(
            first.contains(r#""used_percentage":null,"remaining_percentage":null,"current_usage":null"#),
            "{first}"
        );
        assert!(first.ends_with(r#""fast_mode":false,"thinking":{"enabled":false}}"#), "{first}");
        let named =
            StatusFacts { title: Some("Beds".into()), vim: Some("NORMAL"), thinks: true, ..state.clone() };
        let named = input(&named, &StatusUsage::default(), Duration::ZERO, 0);
        let named = String::from_utf8_lossy(&named).trim_end().to_owned();
        let expected = r#""thinking":{"enabled":true},"session_name":"Beds","vim":{"mode":"NORMAL"}}"#;
        assert!(named.ends_with(expected), "{named}");
        let named = StatusUsage { prompt: Some("p".into()), ..StatusUsage::default() };
        assert!(!text(&named).contains("prompt_id"), "nothing was answered yet");
        let usage = StatusUsage { last: Some([10, 0, 49_990, 20]), dollars: 0.25, ..named };
        let later = text(&usage);
        for part in [
            r#""cwd":"/w","prompt_id":"p","model":"#,
            r#""total_cost_usd":0.250000,"total_duration_ms":1500"#,
            r#""total_input_tokens":50000,"total_output_tokens":20,"context_window_size":200000,"used_percentage":25,"remaining_percentage":75"#,
            r#""current_usage":{"input_tokens":10,"output_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":49990}"#,
            r#""exceeds_200k_tokens":false"#,
        ] {
            assert!(later.contains(part), "{part}: {later}");
        }
    }

    #[test]
    fn only_requests_of_the_conversation_fill_its_context() {
        let answered = |tokens: &str, storage| {
            let mut usage = Usage::default();
            usage.overwrite(&Value::parse(tokens.as_bytes()).unwrap().fields().unwrap());
            Event::Usage { model: "m".into(), usage, storage }
        };
        let mut usage = StatusUsage::default();
        let mut add = |event: &Event| (usage.add_of_conversation(event, None, 0), usage.last);
        let first = r#"{"input_tokens":10,"cache_creation_input_tokens":500,"cache_read_input_tokens":20000,"output_tokens":7}"#;
        let last = Some([10, 500, 20_000, 7]);
        assert_eq!(add(&answered(first, UsageStorage::Session)), (true, last));
        // A page that was read for it, and a sub-agent.
        let other = answered(r#"{"input_tokens":3}"#, UsageStorage::None);
        assert_eq!(add(&other), (false, last));
        let own = answered(r#"{"input_tokens":3}"#, UsageStorage::Session);
        let nested = Event::Subagent { call: "c".into(), agent: "a".into(), event: Box::new(own) };
        assert_eq!(add(&nested), (false, last));
        assert_eq!(add(&Event::Compacting), (false, last));
        assert_eq!(add(&other), (false, last));
        let compacted = Event::Compacted { tokens_before: 9, trigger: CompactionTrigger::Manual };
        assert_eq!(add(&compacted), (true, Some([0; 4])));
    }

    #[test]
    fn lines_of_a_patch_are_counted() {
        let result = br#"{"structuredPatch":[{"lines":[" a","-b","+c","+d"]},{"lines":["-e"]}]}"#;
        assert_eq!(changed_lines(result), (2, 2));
        assert_eq!(changed_lines(b"{}"), (0, 0));
    }
}
