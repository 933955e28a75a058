//! The examples of help pages, taken apart for tests.

/// Returns the command lines below `Examples:` in a help text, without their comments.
pub(crate) fn of(text: &str) -> Vec<&str> {
    let Some((_, examples)) = text.split_once("Examples:\n") else { return Vec::new() };
    let lines = examples.lines().take_while(|line| line.is_empty() || line.starts_with("  "));
    lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// Returns the arguments of each `annals` in a command line, as a shell would split it.
pub(crate) fn calls(line: &str) -> Vec<Vec<String>> {
    let mut calls = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '|' | '>' | '<' | '(' | ')' | ' ') => {
                calls.last_mut().into_iter().for_each(|call| call.extend(word.take()));
                if character != ' ' {
                    calls.push(Vec::new());
                }
            }
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    calls.last_mut().into_iter().for_each(|call| call.extend(word.take()));
    calls.retain(|call| call.first().is_some_and(|program| program == "annals"));
    calls
}
