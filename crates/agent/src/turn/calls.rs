//! Tool calls: one sequence for all of them, approval → attempt → result. Every call gets exactly one result.

use std::path::{Path, PathBuf};

use annals_json::{ArrayWriter, RawJson, Value};
use annals_store::session::AppendError;
use annals_store::source::new_uuid;
use annals_transcript::draft::{Draft, PlaceError, ToolAnswer, ToolOutcome};
use tokio::sync::mpsc::unbounded_channel;

use super::links::{pull_request, record};
use super::news::{Noting, listen, note, teller};
use super::wait::{Crew, Either, either};
use super::{Agent, Asking, INTERRUPTED_CALL, Report};
use crate::api::call::Surroundings;
use crate::api::request::Role;
use crate::api::stream::Block;
use crate::api::transport::Transport;
use crate::command::{Command, Commands, Permit};
use crate::conversation::{Place, failed_result};
use crate::event::{Denial, Event, Question};
use crate::relay::Relay;
use crate::tools::{Asked as Wanted, Order, Outcome, Parent, Scene, Shown, Tool};
use annals_policy::paths::resolve;
use annals_policy::{Decision, Policy};

/// So many calls that change nothing run at a time.
const MOST_BESIDE: usize = 10;

/// A call of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) id: String,
    name: String,
    input: Vec<u8>,
    /// Why it must not run, whatever it says.
    never: Option<String>,
}

impl Asked {
    /// The call of a block.
    pub(super) fn of(block: &Block) -> Self {
        let input = Value::parse(&block.json).ok().and_then(|value| value.get("input"));
        let never = block.unreadable_input_json().map(|json| {
            let shown = String::from_utf8_lossy(&json).into_owned();
            format!("The input of this call is no JSON object, so it was not run: {shown}")
        });
        Self {
            id: block.text("id"),
            name: block.text("name"),
            input: input.map_or_else(|| b"{}".to_vec(), |input| input.raw().to_vec()),
            never,
        }
    }

    /// A call that no model made.
    pub(super) fn of_command(id: String, tool: &str, input: Vec<u8>) -> Self {
        Self { id, name: tool.to_owned(), input, never: None }
    }

    /// The same call, not to be run.
    pub(super) fn not_to_run(self, why: &str) -> Self {
        Self { never: Some(self.never.unwrap_or_else(|| why.to_owned())), ..self }
    }
}

/// What is to be done about a call.
pub(super) enum Approval {
    /// It runs, on what its path leads to now.
    Run(Option<PathBuf>),
    /// A plan was approved: it runs, and the mode is left.
    LeavePlan,
    Answer(Outcome),
    Interrupted,
}

impl Approval {
    fn agreed(&self) -> Option<&Path> {
        match self {
            Self::Run(agreed) => agreed.as_deref(),
            Self::LeavePlan | Self::Answer(_) | Self::Interrupted => None,
        }
    }
}

/// Whether the calls came to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// All have their results.
    All,
    /// A person stopped them; all have results all the same.
    Interrupted,
}

impl<T: Transport, S: Surroundings> Agent<'_, T, S> {
    /// Runs calls and writes their results, in their order.
    pub(super) async fn run_calls(
        &mut self,
        calls: &[Asked],
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Ran, AppendError> {
        let mut rest = calls;
        let mut place = Place::New;
        while !rest.is_empty() {
            let (group, after) = rest.split_at(self.group(rest));
            let mut approvals = Vec::new();
            for call in group {
                let approval = self.approve(call, commands, report).await;
                if matches!(approval, Approval::Interrupted) {
                    self.answer_all(rest, INTERRUPTED_CALL, place, report)?;
                    return Ok(Ran::Interrupted);
                }
                approvals.push(approval);
            }
            if approvals.iter().any(|approval| matches!(approval, Approval::LeavePlan)) {
                self.policy.mode = self.before_plan;
            }
            let (outcomes, ran) = self.attempt(group, approvals, Noting::Session, commands, report).await;
            let mut links = Vec::new();
            for (call, outcome) in group.iter().zip(outcomes) {
                links.extend(
                    outcome.iter().filter_map(|outcome| pull_request(&call.name, &call.input, outcome)),
                );
                let outcome = outcome.unwrap_or_else(|| failed(INTERRUPTED_CALL));
                self.answer(call, result(&call.id, &outcome), place, report)?;
                place = Place::Same;
            }
            self.conversation.note_copies()?;
            for link in links {
                self.conversation.note(record(&link))?;
                // The file of a sub-agent is not the place for it: whoever started it hears of it.
                report(Event::Linked(link));
            }
            if ran == Ran::Interrupted {
                self.answer_all(after, INTERRUPTED_CALL, place, report)?;
                return Ok(ran);
            }
            rest = after;
        }
        Ok(Ran::All)
    }

    /// Answers calls that do not run.
    pub(super) fn answer_all(
        &mut self,
        calls: &[Asked],
        why: &str,
        first: Place,
        report: &mut Report<'_>,
    ) -> Result<(), AppendError> {
        let mut place = first;
        for call in calls {
            self.answer(call, failed_result(&call.id, why), place, report)?;
            place = Place::Same;
        }
        Ok(())
    }

    fn answer(
        &mut self,
        call: &Asked,
        draft: Draft,
        place: Place,
        report: &mut Report<'_>,
    ) -> Result<(), AppendError> {
        let line = match self.conversation.say(draft, Role::User, place) {
            // The model used an id a second time: one answer is all that it can have.
            Err(AppendError::Place(PlaceError::AlreadyAnswered(_))) => {
                self.conversation.read_again();
                return Ok(());
            }
            said => said?,
        };
        report(Event::ToolDone { call: call.id.clone(), line });
        Ok(())
    }

    fn tool(&self, name: &str) -> Option<&(dyn Tool + '_)> {
        self.tools.iter().map(AsRef::as_ref).find(|tool| tool.spec().name == name)
    }

    /// How many of the next calls go together: those that may run beside each other, or one.
    fn group(&self, calls: &[Asked]) -> usize {
        let is_beside =
            |call: &&Asked| self.tool(&call.name).is_some_and(|tool| tool.order() == Order::Beside);
        calls.iter().take_while(is_beside).count().max(1)
    }

    /// Where a path of a call leads, as tools follow it.
    pub(super) fn leads_to(&self, path: &str) -> Option<PathBuf> {
        let workspace = self.policy.workspace;
        let full = match (path.strip_prefix("~/"), workspace.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(path),
        };
        resolve(self.policy.files, workspace.working(), &full).ok().map(|resolved| resolved.real)
    }

    /// Decides whether a call runs.
    pub(super) async fn approve(
        &mut self,
        call: &Asked,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Approval {
        if let Some(why) = &call.never {
            return Approval::Answer(wrong(why));
        }
        let Some(tool) = self.tool(&call.name) else {
            return Approval::Answer(wrong(&format!("There is no tool {:?}.", call.name)));
        };
        let fields = Value::parse(&call.input).ok().and_then(Value::fields);
        let Some(fields) = fields else {
            return Approval::Answer(wrong("The input must be a JSON object."));
        };
        let wanted = match tool.call(&fields) {
            Ok(wanted) => wanted,
            Err(error) => return Approval::Answer(wrong(&error.to_string())),
        };
        // What is decided about is what is opened: a link that is turned in between leads nowhere.
        let agreed = wanted.path().and_then(|path| self.leads_to(path));
        let rules = self.granted.with(self.policy.rules);
        let decision = wanted.decide(&Policy { rules: &rules, ..self.policy });
        let decision = match self.wishes.asking {
            Asking::Nobody => decision.headless(),
            Asking::Person => decision,
        };
        let why = match decision {
            Decision::Allow { .. } => return Approval::Run(agreed),
            Decision::Deny { because } => because.to_string(),
            Decision::Ask { because, suggestions } => {
                let id = new_uuid(self.conversation.ground().source);
                let question = Question {
                    id: id.clone(),
                    call: call.id.clone(),
                    tool: call.name.clone(),
                    input: call.input.clone(),
                    why: because.to_string(),
                    suggestions,
                };
                report(Event::Asked(question));
                match commands.permit(&id).await {
                    Some(Permit::Allow) if wanted == Wanted::Plan => return Approval::LeavePlan,
                    Some(Permit::Allow) => return Approval::Run(agreed),
                    Some(Permit::FromNowOn(rules)) => {
                        self.granted.add(&rules);
                        return Approval::Run(agreed);
                    }
                    Some(Permit::Deny(said)) => said.unwrap_or_else(|| "the person said no".to_owned()),
                    None => return Approval::Interrupted,
                }
            }
        };
        let denied = format!("Permission to use {} was denied: {why}.", call.name);
        report(Event::Denied(Denial {
            call: call.id.clone(),
            tool: call.name.clone(),
            input: call.input.clone(),
            why,
        }));
        Approval::Answer(failed(&denied))
    }

    /// Runs what was approved; nothing stands for what was interrupted.
    pub(super) async fn attempt(
        &mut self,
        calls: &[Asked],
        approvals: Vec<Approval>,
        noting: Noting,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> (Vec<Option<Outcome>>, Ran) {
        let (relay, lineage) = (Relay::default(), self.conversation.lineage());
        let parent = Parent {
            policy: &self.policy,
            granted: &self.granted,
            wishes: &self.wishes,
            lineage: &lineage,
            relay: &relay,
        };
        let (tells, mut told) = unbounded_channel();
        let tells: Vec<_> = calls.iter().map(|call| teller(&call.id, &tells)).collect();
        let mut scenes = Vec::new();
        for ((call, tell), approval) in calls.iter().zip(&tells).zip(&approvals) {
            let agreed = approval.agreed();
            scenes.push(Scene { tool_use: &call.id, tell, agreed, parent: Some(&parent) });
        }
        let tools: &[Box<dyn Tool + '_>] = &self.tools;
        let find = |name: &str| tools.iter().map(AsRef::as_ref).find(|tool| tool.spec().name == name);
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        let (mut places, mut work) = (Vec::new(), Vec::new());
        for (number, (call, approval)) in calls.iter().zip(&approvals).enumerate() {
            outcomes.push(match (approval, find(&call.name)) {
                (Approval::Answer(outcome), _) => Some(outcome.clone()),
                (Approval::Run(_) | Approval::LeavePlan, Some(tool)) => {
                    report(Event::ToolStarted {
                        call: call.id.clone(),
                        tool: call.name.clone(),
                        input: call.input.clone(),
                    });
                    places.push(number);
                    work.push(tool.run(&call.input, &scenes[number]));
                    None
                }
                _ => None,
            });
        }
        let mut crew = Crew::new(work, MOST_BESIDE);
        let first = {
            let news = listen(&mut told, noting, &mut self.conversation, report);
            either(crew.finish(), either(news, commands.interrupt_past(&relay))).await
        };
        let ran = match first {
            Either::First(()) => Ran::All,
            Either::Second(_) => {
                // Those who listen end by themselves and leave their files whole; a second interrupt does not wait for it.
                relay.pass(&Command::Interrupt);
                crew.keep(|piece| relay.has(&calls[places[piece]].id));
                let news = listen(&mut told, noting, &mut self.conversation, report);
                either(crew.finish(), either(news, commands.interrupt())).await;
                Ran::Interrupted
            }
        };
        while let Ok((call, news)) = told.try_recv() {
            note(&call, news, noting, &mut self.conversation, report);
        }
        for (place, outcome) in places.into_iter().zip(crew.into_done()) {
            outcomes[place] = outcome;
        }
        (outcomes, ran)
    }
}

fn failed(why: &str) -> Outcome {
    let kept = RawJson::string(&format!("Error: {why}")).raw().to_vec();
    Outcome { shown: Shown::Text(why.to_owned()), is_error: true, kept, changed: Vec::new() }
}

/// What is wrong with the call itself.
fn wrong(why: &str) -> Outcome {
    let kept = RawJson::string(&format!("Error: {why}")).raw().to_vec();
    let shown = Shown::Text(format!("<tool_use_error>{why}</tool_use_error>"));
    Outcome { shown, is_error: true, kept, changed: Vec::new() }
}

fn result(call: &str, outcome: &Outcome) -> Draft {
    let content = match &outcome.shown {
        Shown::Text(text) => RawJson::string(text).raw().to_vec(),
        Shown::Blocks(blocks) => {
            let mut json = Vec::new();
            let mut list = ArrayWriter::begin(&mut json);
            for block in blocks {
                list.item().extend_from_slice(block);
            }
            list.end();
            json
        }
    };
    let ended = if outcome.is_error { ToolOutcome::Failed } else { ToolOutcome::Done };
    let shown = Some(&outcome.kept[..]).filter(|kept| !kept.is_empty());
    Draft::tool_result(ToolAnswer { tool_use: call, content: &content, outcome: ended, shown })
}
