//! Built-in commands that a program or `-p` can use: their answer is a result, and no model is asked.

use std::fmt::Write as _;
use std::time::Instant;

use annals_agent::api::model::Model;
use annals_agent::api::transport::Transport;
use annals_agent::conversation::ApiMessage;
use annals_agent::protocol::{Command, TurnReport};
use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, UsageLedger, group, responses_of_bytes};
use annals_ui::figures;

use super::ChatAgent;
use crate::error::Fault;
use crate::words;

/// What fills the context window, in tokens; the parts are estimated by their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ContextUse {
    pub(super) window: u64,
    pub(super) total: u64,
    pub(super) system: u64,
    pub(super) tools: u64,
    pub(super) messages: u64,
}

impl ContextUse {
    /// Measures a conversation.
    pub(super) fn of<T: Transport>(agent: &mut ChatAgent<'_, T>) -> Result<Self, Fault> {
        let system: usize = agent.turn_config.system.iter().map(String::len).sum();
        let tools: usize = agent.tools.iter().map(|tool| tool.spec().json.len()).sum();
        let size = |message: &ApiMessage| message.blocks.iter().map(Vec::len).sum::<usize>();
        let messages: usize = agent.conversation.messages()?.iter().map(size).sum();
        let bytes = (system + tools + messages) as u128;
        let counted = agent.context();
        // Without a count, a token is about four bytes.
        let total = if counted > 0 { counted } else { bytes as u64 / 4 };
        let share = |part: usize| (u128::from(total) * part as u128).checked_div(bytes).unwrap_or(0) as u64;
        let window = Model::of(&agent.turn_config.model).window;
        Ok(Self { window, total, system: share(system), tools: share(tools), messages: share(messages) })
    }

    /// Returns how full the window is, in percent.
    pub(super) fn percent(&self) -> f64 {
        self.total as f64 * 100.0 / self.window.max(1) as f64
    }
}

/// Carries out a command that needs no model; `None` if it is another one.
pub(super) fn run<T: Transport>(
    agent: &mut ChatAgent<'_, T>,
    command: &Command,
    prices: &Prices,
) -> Result<Option<TurnReport>, Fault> {
    let Command::Prompt(prompt) = command else { return Ok(None) };
    let began = Instant::now();
    let Some((name, arguments)) = prompt.slash_command() else { return Ok(None) };
    let text = match name.as_str() {
        "context" => context(agent)?,
        "cost" => cost(agent, prices)?,
        "model" if arguments.is_empty() => format!("The model is {}.", agent.turn_config.model),
        _ => return Ok(None),
    };
    agent.conversation.append_local_command(&name, &arguments, &text)?;
    let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Some(TurnReport { text, millis, ..TurnReport::empty() }))
}

fn context<T: Transport>(agent: &mut ChatAgent<'_, T>) -> Result<String, Fault> {
    let used = ContextUse::of(agent)?;
    let model = agent.turn_config.model.clone();
    let (total, window) = (figures::amount(used.total), figures::amount(used.window));
    let mut text = format!("{model}: {total} of {window} ({:.1}%)", used.percent());
    for (name, part) in [("system", used.system), ("tools", used.tools), ("messages", used.messages)] {
        let _ = write!(text, "\n{name}: about {}", figures::amount(part));
    }
    Ok(text)
}

fn cost<T: Transport>(agent: &ChatAgent<'_, T>, prices: &Prices) -> Result<String, Fault> {
    let bytes = agent.conversation.bytes()?;
    let mut ledger = UsageLedger::new();
    ledger.add_file(FileIndex::new(0), responses_of_bytes(&bytes));
    let report = group(ledger.charges(), prices, |_, charge| {
        charge.model.map(|model| model.to_string()).filter(|model| model != "<synthetic>")
    });
    let lines: Vec<String> = report
        .rows
        .iter()
        .map(|row| {
            let price = match row.unpriced.is_empty() {
                true => words::dollars(row.cost.dollars()),
                false => "no price known".to_owned(),
            };
            let (read, written) = (figures::amount(row.tokens.input), figures::amount(row.tokens.output));
            format!("{}: {price} · {read} in · {written} out", row.key)
        })
        .collect();
    Ok(if lines.is_empty() { "no usage yet".to_owned() } else { lines.join("\n") })
}
