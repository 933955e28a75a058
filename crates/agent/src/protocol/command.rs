//! Commands: everything that the caller can ask of a conversation.

use std::collections::VecDeque;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::notification::TaskNotification;
use super::permission::Permit;
use annals_json::{RawJson, Value};
use annals_policy::Mode;

/// What comes before a message for a sub-agent.
const MESSAGE: &str =
    "Another message from the one who gave you the task. Do what it asks as well, then answer again:";

/// A command to a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Opens a turn. While a turn runs, the prompt is queued.
    Prompt(Prompt),
    /// Removes the prompts that wait: the person edits them again.
    Unqueue,
    /// Stops the running turn.
    Interrupt,
    /// Answers a permission request.
    Permit {
        /// The id of the permission request.
        question: String,
        /// The decision of the person.
        permit: Permit,
    },
    /// Sets the model, from the next request on.
    SetModel(String),
    /// Sets the permission mode, from the next call on.
    SetMode(Mode),
    /// Sets how many tokens the model may think, from the next request on; 0 for no thinking, `None` for the default.
    SetThinking(Option<u64>),
    /// Runs the calls that a hook has left until now, and lets the model continue.
    RunDeferred,
    /// Compacts the conversation, optionally with a focus.
    Compact(Option<String>),
    /// Summarizes one side of a prompt, and keeps the other.
    Summarize(SummaryRange),
    /// Ends the conversation after the queued commands. The caller of [`Commands::next`] handles it.
    Quit,
}

/// One side of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRange {
    /// The uuid of the prompt.
    pub prompt: String,
    /// Which side.
    pub direction: SummaryDirection,
}

/// Which side of a prompt is summarized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryDirection {
    /// The prompt and what came since.
    From,
    /// What came before it.
    UpTo,
}

impl SummaryDirection {
    /// Returns the name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::From => "from",
            Self::UpTo => "up_to",
        }
    }
}

/// A prompt of a person, or the task of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// Plain text.
    Text(String),
    /// Content blocks: a JSON array.
    Blocks(Vec<u8>),
    /// A command that the person wants to run in the shell; the model gets it with its output.
    Shell(String),
    /// The end of a sub-agent in the background; nobody typed it.
    Notification(Box<TaskNotification>),
    /// A message for a sub-agent of the one that started it.
    Message(String),
    /// A prompt whose line has this uuid.
    Named { uuid: String, prompt: Box<Prompt> },
    /// A prompt that the history keeps as it was typed.
    Typed { typed: TypedText, prompt: Box<Prompt> },
}

/// A prompt as it was typed, pastes shortened to a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedText {
    /// The text with its marks.
    pub display: String,
    /// The texts that were pasted, each with the number of its mark.
    pub pastes: Vec<(u32, String)>,
    /// The images that were pasted; the prompt has them as blocks, in the same order.
    pub images: Vec<PastedImage>,
}

/// Where an image of a prompt came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastedImage {
    /// The number of its mark.
    pub number: u32,
    /// The path of its file, if it has one.
    pub path: Option<String>,
}

impl TypedText {
    /// The numbers of the images: a JSON array, if there are any.
    pub(crate) fn image_numbers(&self) -> Option<Vec<u8>> {
        let numbers: Vec<String> = self.images.iter().map(|image| image.number.to_string()).collect();
        (!numbers.is_empty()).then(|| format!("[{}]", numbers.join(",")).into_bytes())
    }
}

impl Prompt {
    /// The content: a JSON string or array.
    pub fn content(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => RawJson::string(text).raw().to_vec(),
            Self::Blocks(json) => json.clone(),
            Self::Shell(_) | Self::Notification(_) | Self::Message(_) => {
                RawJson::string(&self.text()).raw().to_vec()
            }
            Self::Named { prompt, .. } | Self::Typed { prompt, .. } => prompt.content(),
        }
    }

    /// The prompt itself, without the uuid of its line and how it was typed.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Named { prompt, .. } | Self::Typed { prompt, .. } => prompt.plain(),
            plain => plain,
        }
    }

    /// The uuid that its line gets, if it is given.
    pub fn uuid(&self) -> Option<&str> {
        match self {
            Self::Named { uuid, .. } => Some(uuid),
            Self::Typed { prompt, .. } => prompt.uuid(),
            Self::Text(_) | Self::Blocks(_) | Self::Shell(_) | Self::Notification(_) | Self::Message(_) => {
                None
            }
        }
    }

    /// How it was typed, if that is known.
    pub(crate) fn typed(&self) -> Option<&TypedText> {
        match self {
            Self::Typed { typed, .. } => Some(typed),
            Self::Named { prompt, .. } => prompt.typed(),
            Self::Text(_) | Self::Blocks(_) | Self::Shell(_) | Self::Notification(_) | Self::Message(_) => {
                None
            }
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Notification(ended) => ended.text(),
            Self::Message(message) => format!("{MESSAGE}\n{message}"),
            Self::Shell(command) => format!("!{command}"),
            Self::Blocks(json) => {
                let Ok(blocks) = Value::parse(json) else { return String::new() };
                let texts = blocks.items().filter_map(|block| block.get("text")?.text());
                texts.map(|text| text.to_string()).collect::<Vec<_>>().join("\n")
            }
            Self::Named { prompt, .. } | Self::Typed { prompt, .. } => prompt.text(),
        }
    }

    /// The name and the arguments of `/NAME ARGUMENTS`; `None` if it is anything else, or more than one block.
    pub fn slash_command(&self) -> Option<(String, String)> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(json) => {
                let value = Value::parse(json).ok()?;
                let mut blocks = value.items();
                let (only, none) = (blocks.next()?, blocks.next());
                only.get("text").filter(|_| none.is_none())?.text()?.to_string()
            }
            Self::Shell(_) | Self::Notification(_) | Self::Message(_) => return None,
            Self::Named { prompt, .. } | Self::Typed { prompt, .. } => return prompt.slash_command(),
        };
        let said = text.trim().strip_prefix('/')?;
        let (name, arguments) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
        Some((name.to_owned(), arguments.trim().to_owned()))
    }
}

/// The queue of commands to a conversation.
#[derive(Debug)]
pub struct Commands {
    receiver: UnboundedReceiver<Command>,
    waiting: VecDeque<Command>,
    /// Prompts queued and removed since [`Commands::take_queued`], in order.
    queued: Vec<QueueChange>,
}

/// What happened to a prompt that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueueChange {
    Enqueue(Prompt),
    Remove(Prompt),
}

impl Commands {
    /// Creates a queue and its sender.
    pub fn channel() -> (UnboundedSender<Command>, Self) {
        let (sender, receiver) = unbounded_channel();
        (sender, Self { receiver, waiting: VecDeque::new(), queued: Vec::new() })
    }

    /// Returns whether no command waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.receiver.is_empty()
    }

    /// Returns the next command; `None` if all senders are gone.
    pub async fn next(&mut self) -> Option<Command> {
        match self.waiting.pop_front() {
            Some(command) => Some(command),
            None => self.receiver.recv().await,
        }
    }

    /// Waits for an interrupt and queues all other commands. Never returns if all senders are gone.
    pub async fn interrupt(&mut self) {
        let _ = self.wait_for(|command| matches!(command, Command::Interrupt)).await;
    }

    /// Waits for an interrupt and forwards permission decisions meanwhile.
    pub(crate) async fn interrupt_forwarding(&mut self, forward: impl Fn(&Command)) {
        let passes = |command: &Command| matches!(command, Command::Interrupt | Command::Permit { .. });
        loop {
            match self.wait_for(passes).await {
                Command::Interrupt => return,
                decision => forward(&decision),
            }
        }
    }

    /// Takes the settings that wait for the end of the turn, to apply them before it.
    pub(crate) fn take_settings(&mut self) -> Vec<Command> {
        let (settings, others) = std::mem::take(&mut self.waiting).into_iter().partition(is_setting);
        self.waiting = others;
        VecDeque::into(settings)
    }

    /// Takes the prompts at the head of the queue that the running turn can absorb: those that name no command and run none.
    pub(crate) fn take_prompts(&mut self) -> Vec<Prompt> {
        let (mut prompts, mut others, mut is_head) = (Vec::new(), VecDeque::new(), true);
        let is_plain =
            |prompt: &Prompt| prompt.slash_command().is_none() && !matches!(prompt.plain(), Prompt::Shell(_));
        for command in std::mem::take(&mut self.waiting) {
            match command {
                Command::Prompt(prompt) if is_head && is_plain(&prompt) => prompts.push(prompt),
                other => {
                    // A setting holds from the next request on, whatever waits around it.
                    is_head &= is_setting(&other);
                    others.push_back(other);
                }
            }
        }
        self.waiting = others;
        prompts
    }

    /// Returns the prompts queued and removed since the last call.
    pub(crate) fn take_queued(&mut self) -> Vec<QueueChange> {
        std::mem::take(&mut self.queued)
    }

    /// Removes the prompts that wait.
    fn unqueue(&mut self) {
        let (prompts, others) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition::<VecDeque<_>, _>(|command| matches!(command, Command::Prompt(_)));
        self.waiting = others;
        self.queued.extend(prompts.into_iter().filter_map(|command| match command {
            Command::Prompt(prompt) => Some(QueueChange::Remove(prompt)),
            _ => None,
        }));
    }

    /// Waits for the answer to a permission request; `None` after an interrupt.
    pub(crate) async fn permit(&mut self, about: &str) -> Option<Permit> {
        let is_it = |command: &Command| match command {
            Command::Interrupt => true,
            Command::Permit { question, .. } => question == about,
            _ => false,
        };
        match self.wait_for(is_it).await {
            Command::Permit { permit, .. } => Some(permit),
            _ => None,
        }
    }

    async fn wait_for(&mut self, wanted: impl Fn(&Command) -> bool) -> Command {
        loop {
            match self.receiver.recv().await {
                Some(command) if wanted(&command) => return command,
                Some(Command::Unqueue) => self.unqueue(),
                Some(command) => {
                    if let Command::Prompt(prompt) = &command {
                        self.queued.push(QueueChange::Enqueue(prompt.clone()));
                    }
                    self.waiting.push_back(command);
                }
                None => std::future::pending().await,
            }
        }
    }
}

fn is_setting(command: &Command) -> bool {
    matches!(command, Command::SetModel(_) | Command::SetMode(_) | Command::SetThinking(_))
}
