//! A conversation: the session that it is written to, and what the next request says of it.
//!
//! Every line goes through here, so that what is sent can be read from the file at any time, by us or by the original.

mod copies;
mod custom;
mod going_back;
mod keep;
mod open;
mod spoken;

pub use copies::Copies;
pub(crate) use custom::{Attached, Expanded};
pub use going_back::{GoBackError, PastTurn};
pub use open::{Ground, Lineage, OpenError, Persistence, Start};
pub use spoken::Spoken;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_json::{RawJson, Value};
use annals_store::SessionKey;
use annals_store::history::{NewPrompt, append as note_in_history};
use annals_store::session::{AppendError, NewSession};
use annals_store::source::new_uuid;
use annals_transcript::draft::{Draft, Said, SnapshotKind, Thread, ToolAnswer, ToolOutcome};
use annals_transcript::record::RecordKind;
use annals_transcript::time::format_millis;

use crate::api::request::Role;
use crate::command::Prompt;
use crate::event::{Line, Notice};
use going_back::WentBack;
use keep::{Keeping, Kept};
pub(crate) use spoken::{Added, Place, is_thought};

/// As many characters of a prompt are kept for lists.
const PROMPT_IN_LISTS: usize = 200;

/// A conversation and its session.
#[derive(Debug)]
pub struct Conversation<'s> {
    ground: Ground<'s>,
    session: String,
    /// Whether it is the session's own or a sub-agent's.
    thread: Thread,
    cwd: PathBuf,
    state: State<'s>,
    messages: Vec<Spoken>,
    /// Whether `messages` no longer says what the file says.
    is_stale: bool,
    notices: Vec<Notice>,
    last_prompt: Option<String>,
    /// The last line that is a message: where clients go on.
    last_message: Option<String>,
    copies: Copies,
    /// The line of the prompt whose turn this is.
    prompt_line: Option<String>,
    /// Where the person went back to: the next line hangs from there.
    went_back: Option<WentBack>,
    /// The line before which no thinking is sent, since the model does not take it back.
    thinking_from: Option<String>,
    /// The ids of the responses that it holds.
    responses: HashSet<String>,
}

/// Where a session stands.
#[derive(Debug)]
enum State<'s> {
    /// It has no line: its file is made with the first prompt.
    NotYet(NewSession, Persistence),
    /// It is there.
    Open(Keeping<'s>),
}

impl<'s> Conversation<'s> {
    /// The id of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The working folder.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Where it is written and what it is made of.
    pub fn ground(&self) -> Ground<'s> {
        self.ground
    }

    /// The session's file, once there is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.state {
            State::Open(keeping) => keeping.path(),
            State::NotYet(..) => None,
        }
    }

    /// The model that last answered.
    pub fn model(&self) -> Option<&str> {
        match &self.state {
            State::Open(keeping) => keeping.state().model(),
            State::NotYet(..) => None,
        }
    }

    /// The lines of the session, with those that could not be written yet.
    pub fn bytes(&self) -> Result<Vec<u8>, AppendError> {
        match &self.state {
            State::Open(keeping) => keeping.bytes(),
            State::NotYet(..) => Ok(Vec::new()),
        }
    }

    /// What the next request says.
    pub fn messages(&mut self) -> Result<&[Spoken], AppendError> {
        if std::mem::take(&mut self.is_stale)
            && let State::Open(keeping) = &self.state
        {
            let rebuilt = spoken::rebuild(&keeping.gist()?, self.thread, self.thinking_from.as_deref());
            self.responses.extend(rebuilt.responses);
            self.messages = rebuilt.messages;
        }
        Ok(&self.messages)
    }

    /// The id under which a response is written: the one that it was given, or one of ours where that is none or another
    /// response has it. Whoever reads the file takes lines of one id for one response.
    pub(crate) fn response_id(&mut self, given: &str) -> String {
        let is_free = !given.is_empty() && !self.responses.contains(given);
        let id = if is_free { given.to_owned() } else { format!("msg_{}", new_uuid(self.ground.source)) };
        self.responses.insert(id.clone());
        id
    }

    /// Lends out what the next request says, for as long as the request takes; [`Self::take_back`] ends that.
    pub(crate) fn lend(&mut self) -> Result<Vec<Spoken>, AppendError> {
        self.messages()?;
        Ok(std::mem::take(&mut self.messages))
    }

    pub(crate) fn take_back(&mut self, messages: Vec<Spoken>) {
        self.messages = messages;
    }

    /// From now on the file says what is said.
    pub(crate) fn read_again(&mut self) {
        self.is_stale = true;
    }

    /// Leaves out the thinking of the turns before the last prompt, in what is sent and not in the file, however often that is
    /// read from now on.
    pub(crate) fn drop_older_thinking(&mut self) -> Result<(), AppendError> {
        let State::Open(keeping) = &self.state else { return Ok(()) };
        self.thinking_from = spoken::rebuild(&keeping.gist()?, self.thread, None).last_prompt;
        self.is_stale = true;
        self.messages().map(drop)
    }

    /// Notices that came up while lines were written.
    pub(crate) fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Writes a line that the model does not see, or that [`Self::hear`] adds.
    pub(crate) fn record(&mut self, draft: Draft) -> Result<(), AppendError> {
        let is_message = matches!(draft.kind(), RecordKind::User | RecordKind::Assistant);
        let draft = if is_message { self.named(draft).0 } else { draft };
        let draft = self.led_back(draft);
        let message = draft.own_uuid().filter(|_| is_message).map(str::to_owned);
        let kept = self.keeping()?.append(draft)?;
        self.last_message = message.or(self.last_message.take());
        match kept {
            Kept::Written => {}
            Kept::WrittenAgain => self.notices.push(Notice::KeptAgain),
            Kept::Waits(why) => self.notices.push(Notice::NotKept(why)),
        }
        Ok(())
    }

    /// Writes something about the session; the file of a sub-agent is not the place for it.
    pub(crate) fn note(&mut self, draft: Draft) -> Result<(), AppendError> {
        match self.thread {
            Thread::Main => self.record(draft),
            Thread::Agent => Ok(()),
        }
    }

    /// Adds a line that was written to what is said.
    pub(crate) fn hear(&mut self, draft: &Draft, role: Role, place: Place) {
        if !self.is_stale && spoken::add(&mut self.messages, draft, role, place) == Added::ReadTheFile {
            self.is_stale = true;
        }
    }

    /// Writes a line and adds it to what is said.
    pub(crate) fn say(&mut self, draft: Draft, role: Role, place: Place) -> Result<Line, AppendError> {
        let (draft, line) = self.named(draft);
        self.record(draft.clone())?;
        self.hear(&draft, role, place);
        Ok(line)
    }

    /// Gives a line its id.
    pub(crate) fn named(&self, draft: Draft) -> (Draft, Line) {
        let uuid = draft.own_uuid().map_or_else(|| new_uuid(self.ground.source), str::to_owned);
        let draft = draft.with_uuid(&uuid);
        let raw = |key: &str| draft.value(key).map_or_else(Vec::new, |value| value.raw().to_vec());
        let (message, result) = (raw("message"), raw("toolUseResult"));
        (draft, Line { uuid, message, result })
    }

    /// Writes what a person says, or what a sub-agent is asked, after healing what an end in the middle of a turn has left
    /// open.
    pub(crate) fn prompt(&mut self, prompt: &Prompt) -> Result<Line, AppendError> {
        self.heal()?;
        let said = match prompt {
            Prompt::Text(text) => Said::Text(text),
            Prompt::Blocks(json) => Said::Blocks(json),
        };
        self.open_turn(Draft::prompt(said), &text_of(prompt))
    }

    /// Writes the line that opens a turn; in lists it is called by these words.
    fn open_turn(&mut self, draft: Draft, text: &str) -> Result<Line, AppendError> {
        let (draft, line) = self.named(draft);
        if self.thread == Thread::Agent {
            self.record(draft.clone())?;
            self.hear(&draft, Role::User, Place::New);
            return Ok(line);
        }
        let now = self.ground.source.now();
        let kept = self.copies.begin_turn(now);
        let snapshot =
            Draft::file_history_snapshot(&line.uuid, SnapshotKind::New, &kept, &format_millis(now));
        self.record(snapshot)?;
        self.prompt_line = Some(line.uuid.clone());
        self.record(draft.clone())?;
        self.hear(&draft, Role::User, Place::New);
        self.note_in_history(text);
        self.last_prompt = Some(in_lists(text));
        Ok(line)
    }

    /// Gives the session a title that a model has made; one that a person gives counts more.
    pub fn name(&mut self, title: &str) -> Result<(), AppendError> {
        self.note(Draft::ai_title(title))
    }

    /// The copies of files that turns have changed, for tools to ask for.
    pub fn copies(&self) -> Copies {
        self.copies.clone()
    }

    /// Tells the session of copies that were made since.
    pub(crate) fn note_copies(&mut self) -> Result<(), AppendError> {
        let (Some(kept), Some(prompt)) = (self.copies.news(), self.prompt_line.clone()) else {
            return Ok(());
        };
        let line = self.last_message.clone().unwrap_or_else(|| prompt.clone());
        let now = format_millis(self.ground.source.now());
        self.record(Draft::file_history_snapshot(&line, SnapshotKind::UpdateOf(&prompt), &kept, &now))
    }

    /// Answers calls that nobody answered, so that the next prompt can follow.
    fn heal(&mut self) -> Result<(), AppendError> {
        let State::Open(keeping) = &self.state else { return Ok(()) };
        if !self.is_stale {
            return Ok(());
        }
        let rebuilt = spoken::rebuild(&keeping.gist()?, self.thread, self.thinking_from.as_deref());
        // Where nothing is open, what follows only adds to this; a file that clients refuse may be taken with one line more.
        self.is_stale = !rebuilt.open_calls.is_empty() || rebuilt.messages.is_empty();
        self.messages = rebuilt.messages;
        self.responses.extend(rebuilt.responses);
        for call in rebuilt.open_calls {
            let why = "The session ended before this call was answered. Whether it ran is not known.";
            self.record(failed_result(&call, why))?;
        }
        Ok(())
    }

    /// Ends a turn: where a client that resumes goes on, for lists and for itself.
    pub(crate) fn end_turn(&mut self, millis: u64) -> Result<(), AppendError> {
        // Where nothing was said yet, there is no session to tell.
        if self.thread == Thread::Agent || matches!(self.state, State::NotYet(..)) {
            return Ok(());
        }
        let messages = u64::try_from(self.messages.len()).ok();
        self.record(Draft::turn_duration(millis, messages))?;
        // Some clients hang the next prompt from the last message and not from the line behind it: a leaf that is no message
        // would be a branch of its own, and what they add would be overlooked.
        match (self.last_prompt.clone(), self.last_message.clone()) {
            (Some(prompt), Some(leaf)) => self.record(Draft::last_prompt(&prompt, Some(&leaf))),
            _ => Ok(()),
        }
    }

    fn note_in_history(&mut self, text: &str) {
        let State::Open(Keeping::File { .. }) = &self.state else { return };
        let session = SessionKey::new(self.session.as_str());
        let project = self.cwd.to_string_lossy();
        let prompt = NewPrompt {
            display: text,
            pastes: Vec::new(),
            millis: self.ground.source.now(),
            project: &project,
            session: &session,
        };
        if let Err(error) = note_in_history(self.ground.config, &prompt, self.ground.source) {
            self.notices.push(Notice::NotKept(error.to_string()));
        }
    }
}

/// A result that says why there is none.
pub(crate) fn failed_result(call: &str, why: &str) -> Draft {
    let (content, shown) = (RawJson::string(why), RawJson::string(&format!("Error: {why}")));
    Draft::tool_result(ToolAnswer {
        tool_use: call,
        content: content.raw(),
        outcome: ToolOutcome::Failed,
        shown: Some(shown.raw()),
    })
}

fn text_of(prompt: &Prompt) -> String {
    match prompt {
        Prompt::Text(text) => text.clone(),
        Prompt::Blocks(json) => {
            let Ok(blocks) = Value::parse(json) else { return String::new() };
            let texts = blocks.items().filter_map(|block| block.get("text")?.text());
            texts.map(|text| text.to_string()).collect::<Vec<_>>().join("\n")
        }
    }
}

fn in_lists(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(PROMPT_IN_LISTS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
