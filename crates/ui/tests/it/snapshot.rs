//! Compares whole pages with the expected text, with their end marked.

/// Compares a page with the expected one, which starts on the line after the quotes and ends in `[EOF]`.
#[track_caller]
pub(crate) fn check(page: &str, expected: &str) {
    let page = format!("\n{page}[EOF]\n");
    let expected = expected.trim_end_matches([' ', '\n']).to_owned() + "\n";
    if page != expected {
        let lines = page.lines().zip(expected.lines()).enumerate();
        let differs = lines.skip_while(|(_, (left, right))| left == right).map(|(at, _)| at).next();
        panic!("line {differs:?} differs\n--- the page is\n{page}--- the test expects\n{expected}---");
    }
}
