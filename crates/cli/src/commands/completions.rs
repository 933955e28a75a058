//! `annals completions`: a completion script for a shell. Commands and options are in the script; sessions and projects it asks
//! `annals complete` for.

use clap_complete::Shell;

use crate::args::CompletionsArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::help;

/// Asks for sessions and projects; what the static script knows is used where there are none.
const BASH: &str = r#"
_annals_values() {
    _annals "$@"
    local line found=()
    while IFS= read -r line; do
        found+=("$(printf '%q' "${line%%$'\t'*}")")
    done < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if (( ${#found[@]} )); then
        COMPREPLY=("${found[@]}")
    fi
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _annals_values -o nosort -o bashdefault -o default annals
else
    complete -F _annals_values -o bashdefault -o default annals
fi
"#;

/// The action of every argument without values of its own.
const ZSH: &str = r#"
_annals_values() {
    local -a found
    found=("${(@f)$(annals complete -- "${(@)words[1,CURRENT]}" 2>/dev/null)}")
    found=("${(@)found:#}")
    if (( ${#found} )); then
        found=("${(@)found//:/\\:}")
        found=("${(@)found//$'\t'/:}")
        _describe -V 'value' found
    else
        _default
    fi
}
"#;

/// Asks for sessions and projects.
const FISH: &str = "(annals complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)";

pub(crate) fn run(args: &CompletionsArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "annals", &mut script);
    context.out.exact(&with_values(args.shell, script))?;
    Ok(Outcome::Done)
}

/// Adds what asks for sessions and projects.
fn with_values(shell: Shell, mut script: Vec<u8>) -> Vec<u8> {
    match shell {
        Shell::Bash => script.extend_from_slice(BASH.as_bytes()),
        Shell::Fish => {
            let mut lines = format!("\ncomplete -c annals -k -a '{FISH}'\n");
            for option in super::complete::options() {
                // The values of an option are not those of an argument.
                lines.push_str(&format!("complete -c annals -l {option} -r -k -a '{FISH}'\n"));
            }
            script.extend_from_slice(lines.as_bytes());
        }
        Shell::Zsh => {
            let text = String::from_utf8_lossy(&script).replace(":_default'", ":_annals_values'");
            // The first line must stay: it names the command to zsh.
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            return format!("{first}\n{ZSH}{rest}").into_bytes();
        }
        _ => {}
    }
    script
}
