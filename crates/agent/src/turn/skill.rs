//! Skills in a turn: the list of those that there are, and the text of one that the model uses.
//!
//! The text is expanded before the call is answered, so that a command in it that is denied or fails is the result of the call.

use annals_json::{Value, object};
use annals_store::session::AppendError;
use annals_transcript::draft::Draft;

use super::agent::Agent;
use super::approve::{Approval, failed};
use super::custom_command::Expansion;
use super::forked_skill::ForkedSkill;
use super::pending::PendingCall;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::commands::{CustomCommand, Invocation};
use crate::conversation::AttachedFile;
use crate::protocol::{Commands, EventSink};
use crate::tools::skill;

/// The most characters of the description of a skill.
const MAX_DESCRIPTION: usize = 1536;
/// The most characters of the whole list.
const MAX_LISTING: usize = 24_000;

/// A skill that the model uses, until its text is written.
pub(super) struct UsedSkill {
    pub(super) call: String,
    pub(super) invocation: Invocation,
    pub(super) text: String,
    pub(super) files: Vec<AttachedFile>,
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells the model which skills there are, as far as it does not know them.
    pub(super) fn append_skill_listing(&mut self) -> Result<(), AppendError> {
        if self.tool(skill::NAME).is_none() {
            return Ok(());
        }
        let is_new = |skill: &&CustomCommand| !self.told.skills.contains(&skill.name);
        let added: Vec<&CustomCommand> =
            self.skills.iter().filter(|skill| skill.listing.is_some()).filter(is_new).collect();
        if added.is_empty() {
            return Ok(());
        }
        let is_initial = self.told.skills.is_empty();
        let names: Vec<String> = added.iter().map(|skill| skill.name.clone()).collect();
        let attachment = object(|attachment| {
            attachment.string("type", "skill_listing").string("content", &listing(&added));
            attachment.number("skillCount", added.len() as u64).boolean("isInitial", is_initial);
            attachment.array("names", |list| {
                names.iter().for_each(|name| {
                    list.string(name);
                });
            });
        });
        self.conversation.append(Draft::attachment(&attachment))?;
        self.conversation.mark_stale();
        self.told.skills.extend(names);
        Ok(())
    }

    /// Expands the skill that an approved call uses; other calls stay as they are.
    pub(super) async fn expand_skill(
        &mut self,
        call: &PendingCall,
        approval: Approval,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Approval {
        if call.name != skill::NAME || !approval.is_run() {
            return approval;
        }
        let Some(invocation) = self.used(approval.input().unwrap_or(&call.input)) else { return approval };
        match self.expand(&invocation, commands, report).await {
            Expansion::Done { text, files } => {
                let used = &invocation.command;
                self.hooks.use_skill(&used.name);
                if let Some(kind) = &used.fork {
                    self.forked_skills.push(ForkedSkill::new(&call.id, &invocation, kind, text));
                    return approval;
                }
                self.grants.allow_for_turn(&used.rules(), used.author.source());
                if let Some(model) = &used.model {
                    self.turn_config.model.clone_from(model);
                }
                self.used_skills.push(UsedSkill { call: call.id.clone(), invocation, text, files });
                approval
            }
            Expansion::Failed(why) => Approval::Resolved(failed(&why)),
            Expansion::Interrupted => Approval::Interrupted,
        }
    }

    fn used(&self, input: &[u8]) -> Option<Invocation> {
        let input = Value::parse(input).ok()?;
        let text = |key: &str| input.get(key).and_then(Value::text).map(|text| text.to_string());
        let name = skill::skill_name(&text("skill")?);
        let command = self.skills.iter().find(|skill| skill.name == name)?.clone();
        Some(Invocation { command, arguments: text("args").unwrap_or_default() })
    }

    /// Writes the texts of the skills that were used, behind the results of the calls.
    pub(super) fn append_used_skills(&mut self) -> Result<(), AppendError> {
        for used in std::mem::take(&mut self.used_skills) {
            self.conversation.append_skill(&used.call, &used.invocation, &used.text, &used.files)?;
        }
        Ok(())
    }
}

/// Returns the list for the model; if it is long, descriptions are cut.
fn listing(skills: &[&CustomCommand]) -> String {
    let cut = |most: usize| {
        let lines = skills.iter().filter_map(|skill| skill.listing.as_deref()).map(|line| {
            match line.char_indices().nth(most) {
                Some((end, _)) => format!("{}…", &line[..end]),
                None => line.to_owned(),
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let whole = cut(MAX_DESCRIPTION);
    if whole.chars().count() <= MAX_LISTING { whole } else { cut(MAX_LISTING / skills.len().max(1)) }
}
