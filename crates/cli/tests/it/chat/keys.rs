//! API keys are sent to the API and appear nowhere else: not in commands, files or output.

use std::path::Path;

use super::ChatFixture;

const SECRET: &str = "sk-nobody-else-knows";

/// Only our own processes: with those of the whole machine the output can grow past the limit, and its end is cut off.
const SCRIPT: &str = r#"{"look":[
    [{"type":"tool_use","name":"Bash","input":{"command":"env; ps -o args -p $$,$PPID --ppid $PPID; prlimit --core --pid $PPID; true"}}],
    [{"type":"text","text":"seen"}]]}"#;

/// The files below a folder in which the key stands.
fn files_with_key(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files_with_key(&path, found);
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            if bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()) {
                found.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
    }
}

#[test]
fn a_key_goes_to_the_api_and_nowhere_else() {
    let from_settings = format!(r#"{{"env":{{"ANTHROPIC_API_KEY":"{SECRET}"}}}}"#);
    let from_helper = format!(r#"{{"apiKeyHelper":"echo {SECRET}"}}"#);
    for (settings, variable) in [(from_settings.as_str(), None), (&from_helper, None), ("{}", Some(SECRET))] {
        let fixture = ChatFixture::new(SCRIPT);
        fixture.home.write("settings.json", settings);
        let mut command =
            fixture.command(&["--allowedTools", "Bash", "--output-format", "stream-json", "@@look@@"]);
        command.env_remove("ANTHROPIC_API_KEY");
        command.envs(variable.map(|key| ("ANTHROPIC_API_KEY", key)));
        let answer = fixture.finishes(command, 0);
        assert_eq!(fixture.api.requests().last().unwrap().header("x-api-key"), Some(SECRET));
        assert!(!answer.out.contains(SECRET) && !answer.error.contains(SECRET), "{}", answer.out);
        assert!(answer.out.contains("CLAUDECODE=1"), "the command did not look: {}", answer.out);
        assert!(!fixture.last().contains(SECRET), "a command or the model saw it");
        let mut found = Vec::new();
        files_with_key(fixture.home.path(), &mut found);
        found.retain(|name| name != "settings.json");
        assert_eq!(found, [""; 0]);
        if cfg!(target_os = "linux") {
            let limit = answer.out.split("max core file size").nth(1).unwrap_or_default().trim_start();
            assert!(limit.starts_with('0'), "a core could be written: {}", answer.out);
        }
    }
}

#[test]
fn no_error_says_a_key() {
    let fixture = ChatFixture::new(SCRIPT);
    let odd = format!("{SECRET}\u{1}");
    for (variable, value) in [
        ("ANTHROPIC_API_KEY", odd.clone()),
        ("ANTHROPIC_AUTH_TOKEN", odd.clone()),
        ("ANTHROPIC_CUSTOM_HEADERS", format!("x-more: {odd}")),
        ("ANTHROPIC_BASE_URL", format!("https://user:{SECRET}@example.com")),
        ("HTTPS_PROXY", format!("nothing://user:{SECRET}@ example")),
    ] {
        let mut command = fixture.command(&["hello"]);
        command.env(variable, value);
        if variable == "HTTPS_PROXY" {
            command.env("ANTHROPIC_BASE_URL", "https://api.example.invalid");
        }
        let answer = fixture.finishes(command, 2);
        assert!(!answer.error.contains(SECRET) && !answer.error.is_empty(), "{variable}: {}", answer.error);
    }
    for helper in [format!("echo {SECRET}; exit 3"), format!("printf '{SECRET}\\\\377'")] {
        fixture.home.write("settings.json", format!(r#"{{"apiKeyHelper":"{helper}"}}"#));
        let mut command = fixture.command(&["hello"]);
        command.env_remove("ANTHROPIC_API_KEY");
        let answer = fixture.finishes(command, 2);
        assert!(!answer.error.contains(SECRET) && answer.error.contains("apiKeyHelper"), "{}", answer.error);
    }
}
