//! Built-in slash commands outside the terminal: carried out, or refused. They are never sent to a model.

use annals_agent::protocol::{Command, Prompt};

use super::custom::BUILT_IN;
use super::prompt::Refusal;

/// Commands that are carried out when their turn comes, with the conversation at hand.
const LOCAL: [&str; 2] = ["context", "cost"];

/// Returns what a prompt asks for if it names a built-in command; `None` if it is a prompt.
pub(super) fn of(prompt: &Prompt) -> Option<Result<Command, Refusal>> {
    let (name, argument) = prompt.slash_command()?;
    let name = *BUILT_IN.iter().find(|known| **known == name)?;
    let has_argument = !argument.is_empty();
    let argument = Some(argument).filter(|argument| !argument.is_empty());
    Some(match name {
        "compact" => Ok(Command::Compact(argument)),
        "model" if has_argument => Err(Refusal::TerminalOnly(name)),
        name if LOCAL.contains(&name) || name == "model" => Ok(Command::Prompt(prompt.clone())),
        _ => Err(Refusal::TerminalOnly(name)),
    })
}

/// Returns what to do instead of a command that only the terminal has.
pub(super) fn instead_of(name: &str) -> &'static str {
    match name {
        "agents" => "system/init of --output-format stream-json has them",
        "branch" | "fork" => "--resume SESSION --fork-session continues in a copy",
        "add-dir" => "--add-dir FOLDER adds a folder",
        "clear" => "without --resume or --continue, a new session starts",
        "config" => "annals config get shows the configuration file",
        "doctor" => "annals doctor checks versions, stores and programs",
        "effort" => "--effort LEVEL sets it",
        "export" => "annals export writes sessions to files",
        "usage" => "/cost shows tokens and cost",
        "mcp" => "annals mcp list shows the servers",
        "model" => "--model NAME chooses the model",
        "permissions" => "annals help permissions explains the rules",
        "rename" => "annals rename SESSION TITLE renames a session",
        "resume" => "--resume SESSION resumes a session",
        "rewind" => "annals rewind restores files and conversation",
        "todos" => "annals todos SESSION shows the list",
        _ => "annals chat without -p has it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ours_are_never_prompts() {
        for name in BUILT_IN {
            for text in [format!("/{name}"), format!("  /{name} more words\n")] {
                assert!(of(&Prompt::Text(text.clone())).is_some(), "{text}");
                let blocks = format!(r#"[{{"type":"text","text":"/{name}"}}]"#);
                assert!(of(&Prompt::Blocks(blocks.into())).is_some(), "{name}");
            }
            assert!(!instead_of(name).is_empty());
        }
        let compact = of(&Prompt::Text("/compact the tests".into()));
        assert_eq!(compact, Some(Ok(Command::Compact(Some("the tests".into())))));
        assert_eq!(of(&Prompt::Text("/clear".into())), Some(Err(Refusal::TerminalOnly("clear"))));
        for local in ["/cost", "/context", "/model"] {
            let prompt = Prompt::Text(local.into());
            assert_eq!(of(&prompt), Some(Ok(Command::Prompt(prompt.clone()))), "{local}");
        }
        for prompt in ["/costs", "/tmp/cost is what?", "say /cost", "cost", "/", "/ cost"] {
            assert_eq!(of(&Prompt::Text(prompt.into())), None, "{prompt}");
        }
    }
}
