//! Pull requests that commands open.

use annals_json::Value;
use annals_transcript::draft::Draft;

use crate::protocol::PullRequest;
use crate::tools::{Outcome, ToolContent};

const CREATE_COMMAND: &str = "gh pr create";

/// Returns the pull request that this call has opened.
pub(super) fn pull_request(tool: &str, input: &[u8], outcome: &Outcome) -> Option<PullRequest> {
    if tool != "Bash" || outcome.is_error {
        return None;
    }
    let command = Value::parse(input).ok()?.get("command")?.text()?.to_string();
    let ToolContent::Text(said) = &outcome.shown else { return None };
    let (url, repository, number) = said.split_whitespace().rev().find_map(address)?;
    let made = || PullRequest { number, url: url.to_owned(), repository: repository.to_owned() };
    command.contains(CREATE_COMMAND).then(made)
}

/// Builds the record for the session.
pub(super) fn pull_request_record(made: &PullRequest) -> Draft {
    Draft::pr_link(made.number, &made.url, &made.repository)
}

/// Parses `https://HOST/OWNER/NAME/pull/NUMBER` into address, repository and number.
fn address(word: &str) -> Option<(&str, &str, u64)> {
    let path = word.strip_prefix("https://")?.split_once('/')?.1;
    let (repository, number) = path.split_once("/pull/")?;
    let is_one = repository.split('/').count() == 2 && repository.split('/').all(|part| !part.is_empty());
    Some((word, repository, number.parse().ok()?)).filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_opens_one_is_noted() {
        let found = |tool: &str, command: &str, said: &str| {
            let input = format!(r#"{{"command":"{command}"}}"#);
            let made = pull_request(tool, input.as_bytes(), &Outcome::text(said, Vec::new()))?;
            let draft = pull_request_record(&made);
            Some((draft.value("prNumber")?.count()?, draft.value("prRepository")?.text()?.to_string()))
        };
        let said = "Creating pull request\nhttps://github.com/o/n/pull/17\n";
        let create = "git push && gh pr create --fill";
        assert_eq!(found("Bash", create, said), Some((17, "o/n".to_owned())));
        assert_eq!(found("Bash", "gh pr view", said), None);
        assert_eq!(found("Read", create, said), None);
        for nothing in
            ["", "https://github.com/o/n/issues/17", "https://github.com/o/pull/1", "http://a/o/n/pull/1"]
        {
            assert_eq!(found("Bash", create, nothing), None, "{nothing}");
        }
        let input = format!(r#"{{"command":"{create}"}}"#);
        assert_eq!(pull_request("Bash", input.as_bytes(), &Outcome::failed(said, "x")), None);
    }
}
