//! What is printed to standard error while the chat screen has the terminal: it is a part of the conversation, never of a frame.

use super::{ChatFixture, HANGS};

const SCRIPT: &str = r#"{"hello":[[{"type":"text","text":"Hello there."}]]}"#;

/// What was written to the terminal beside frames, titles and modes.
fn beside_frames(bytes: &[u8]) -> String {
    let mut left = String::from_utf8_lossy(bytes).into_owned();
    for (begin, end) in [("\u{1b}[?2026h", "\u{1b}[?2026l"), ("\u{1b}]2;", "\u{7}")] {
        while let Some(at) = left.find(begin) {
            let Some(length) = left[at..].find(end) else { break };
            left.replace_range(at..at + length + end.len(), "");
        }
    }
    let keys = ["\u{1b}[>4;1m", "\u{1b}[>5u"];
    let mouse = ["\u{1b}[?1000h", "\u{1b}[?1006h"];
    let modes = ["\u{1b}[22;2t", "\u{1b}[?2004h", "\u{1b}[?1004h"];
    for mode in modes.into_iter().chain(keys).chain(mouse) {
        left = left.replace(mode, "");
    }
    // A frame may still be on its way.
    left.split("\u{1b}[?2026h").next().unwrap_or_default().trim().to_owned()
}

#[test]
fn messages_are_notes_of_the_conversation_and_never_in_a_frame() {
    for layout in ["inline", "full"] {
        let fixture = ChatFixture::new(SCRIPT);
        let project = r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch ran"}]}]}}"#;
        let own = r#"{"hooks":{"PreToolUse":[{"matcher":"[","hooks":[{"type":"command","command":"true"}]}]},"permissions":{"allow":["Bash(("]}}"#;
        let work = fixture.home.work_dir();
        std::fs::create_dir_all(work.join(".claude")).unwrap();
        std::fs::write(work.join(".claude/settings.json"), project).unwrap();
        std::fs::write(work.join("CLAUDE.md"), "Speak of gardens.").unwrap();
        fixture.home.write("settings.json", own);
        fixture.home.write("agents/bad.md", "---\nname:\n---\n");
        // This is told before there is a screen: the full layout would hide it.
        let config = fixture.home.path().join("xdg");
        std::fs::create_dir_all(config.join("annals")).unwrap();
        std::fs::write(config.join("annals/config.toml"), "future = 1\n").unwrap();
        let mut terminal = fixture.chat_in((160, 40), &["--screen", layout], |command| {
            command.env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "many").env("XDG_CONFIG_HOME", &config);
        });
        terminal.sees("❯ 1. no: continue without them");
        std::thread::sleep(std::time::Duration::from_millis(900));
        terminal.press("\r");
        terminal.sees("? keys");
        for message in [
            "unknown key \"future\"",
            "`hooks` is ignored",
            "Bash((",
            "agents/bad.md",
            "matcher of a PreToolUse hook",
            "ignoring CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        ] {
            let began = std::time::Instant::now();
            while !terminal.visible().contains(message) {
                assert!(began.elapsed() < HANGS, "{layout}: {message:?}:\n{}", terminal.visible());
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        assert!(!terminal.visible().contains("would follow"), "{layout}:\n{}", terminal.visible());
        terminal.press("@@hello@@\r");
        terminal.sees("● Hello there.");
        let beside = beside_frames(&terminal.bytes());
        let is_early = beside.starts_with("annals: ") && beside.ends_with("unknown key \"future\"");
        assert!(is_early && !beside.contains('\n'), "{layout}: {beside:?}");
        fixture.leave(&mut terminal);
    }
}
