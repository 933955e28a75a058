//! One answer per line. Answers wait until their records are on disk; lines that come fast share a sync.

use annals_json::ObjectWriter;
use annals_store::history::{NewPrompt, append};
use annals_store::session::{AppendError, Receipt};
use annals_store::source::Clock;
use annals_store::{SessionKey, SessionWriter};

use super::carry_out;
use super::input::{InputItem, InputLines, read};
use crate::args::AppendArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// How many answers may wait for the disk.
const MAX_WAITING: usize = 256;

/// The answers of one run.
pub(super) struct Answers {
    waiting: Vec<(u64, Vec<Receipt>)>,
    syncs: bool,
    notes_prompts: bool,
    session: Option<String>,
    /// The last error, for the exit code.
    fault: Option<Fault>,
}

impl Answers {
    pub(super) fn new(args: &AppendArgs, session: Option<String>) -> Self {
        Self {
            waiting: Vec::new(),
            syncs: !args.no_sync,
            notes_prompts: args.history && !args.dry_run,
            session,
            fault: None,
        }
    }

    pub(super) fn answer_all(
        mut self,
        input: &mut InputLines,
        writer: &mut SessionWriter<'_>,
        context: &mut Context,
    ) -> Result<Outcome, Fault> {
        while let Some(line) = input.next_line()? {
            let at = input.line;
            // The branch may have changed since the last line, unless this one was there with it.
            if self.waiting.is_empty() {
                writer.refresh_branch();
            }
            match read(&line) {
                Err(message) => self.refuse(at, Fault::usage(message), writer, context)?,
                Ok(item) => match carry_out(&item, writer) {
                    Ok(receipts) => {
                        self.note_prompt(&item, writer, context)?;
                        self.waiting.push((at, receipts));
                    }
                    Err(error) => {
                        let is_conflict = matches!(error, AppendError::Busy { .. });
                        self.refuse(at, error.into(), writer, context)?;
                        if is_conflict {
                            break;
                        }
                    }
                },
            }
            if !input.has_more()? || self.waiting.len() >= MAX_WAITING {
                self.settle(writer, context)?;
            }
        }
        self.settle(writer, context)?;
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(Outcome::Done),
        }
    }

    /// Adds a prompt to the history, with `--history`.
    fn note_prompt(
        &self,
        item: &InputItem,
        writer: &SessionWriter<'_>,
        context: &Context,
    ) -> Result<(), Fault> {
        let Some(said) = item.prompt().filter(|_| self.notes_prompts) else { return Ok(()) };
        let session = SessionKey::new(writer.origin().session.as_str());
        let prompt = NewPrompt::new(&said, &writer.origin().cwd, &session, context.source.now());
        append(context.store.config_dir(), &prompt, &context.source).map(drop).map_err(|error| {
            Fault::from(error).hint("the record was written, but its prompt is not in the history")
        })
    }

    /// Syncs what was written, and prints the answers that waited for it.
    fn settle(&mut self, writer: &mut SessionWriter<'_>, context: &mut Context) -> Result<(), Fault> {
        let settled = if self.syncs { writer.settle() } else { Ok(()) };
        let waiting = std::mem::take(&mut self.waiting);
        match settled {
            Ok(()) => {
                for (_, receipts) in &waiting {
                    context.out.json(|object| self.acknowledge(receipts, object))?;
                }
            }
            Err(error) => {
                let fault = Fault::from(error);
                for (line, _) in &waiting {
                    context.out.json(|object| refusal(*line, &fault, object))?;
                }
                self.fault = Some(fault);
            }
        }
        Ok(context.out.flush()?)
    }

    fn refuse(
        &mut self,
        line: u64,
        fault: Fault,
        writer: &mut SessionWriter<'_>,
        context: &mut Context,
    ) -> Result<(), Fault> {
        // In order: the lines before it are answered first.
        self.settle(writer, context)?;
        context.out.json(|object| refusal(line, &fault, object))?;
        context.out.flush()?;
        self.fault = Some(fault.at(format!("standard input, line {line}")));
        Ok(())
    }

    /// Prints the uuid of a message's last record and the parent of its first.
    fn acknowledge(&self, receipts: &[Receipt], object: &mut ObjectWriter<'_>) {
        let last = receipts.last().and_then(|receipt| receipt.uuid.as_deref());
        let parent = receipts.first().and_then(|receipt| receipt.parent.as_deref());
        object.string_or_null("uuid", last).string_or_null("parentUuid", parent);
        if receipts.len() > 1 {
            object.array("uuids", |list| {
                for uuid in receipts.iter().filter_map(|receipt| receipt.uuid.as_deref()) {
                    list.string(uuid);
                }
            });
        }
        if receipts.iter().any(|receipt| receipt.healed) {
            object.boolean("healed", true);
        }
        object.string_if("session", self.session.as_deref());
    }
}

fn refusal(line: u64, fault: &Fault, object: &mut ObjectWriter<'_>) {
    object.string("error", fault.message()).number("line", line);
}
