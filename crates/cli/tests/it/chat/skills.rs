//! Skills that run in a sub-agent, and skills of folders below the working folder.

use super::ChatFixture;
use crate::annals_exits;

const TEXT: &str = r#"[{"type":"text","text":"TEXT"}]"#;

fn say(words: &str) -> String {
    TEXT.replace("TEXT", words)
}

fn touch(name: &str) -> String {
    format!(r#"[{{"type":"tool_use","name":"Bash","input":{{"command":"touch {{{{CWD}}}}/{name}"}}}}]"#)
}

fn uses(skill: &str) -> String {
    format!(r#"[{{"type":"tool_use","name":"Skill","input":{{"skill":"{skill}","args":"Ann"}}}}]"#)
}

fn fixture() -> ChatFixture {
    let script = format!(
        r#"{{"main":[{},{},{}],"fork":[{},{}],
            "below":[[{{"type":"tool_use","name":"Read","input":{{"file_path":"{{{{CWD}}}}/sub/a.txt"}}}}],{},{},{}]}}"#,
        uses("forky"),
        touch("outside"),
        say("Over."),
        touch("inside"),
        say("Fork answer."),
        uses("deep"),
        uses("sub:forky"),
        say("Deep."),
    );
    let fixture = ChatFixture::in_folder(&script);
    fixture.home.write(
        "skills/forky/SKILL.md",
        "---\ndescription: Forks\ncontext: fork\nmodel: haiku\nallowed-tools: Bash(touch:*)\n---\nFor $0: @@fork@@ in ${CLAUDE_SKILL_DIR}\n",
    );
    fixture.home.write("settings.json", r#"{"permissions":{"allow":["Skill"]}}"#);
    fixture
}

#[test]
fn a_forked_skill_of_the_model_is_a_sub_agent() {
    let fixture = fixture();
    // Without a sandbox, what no rule allows is denied.
    let answer = fixture.exits(&["--sandbox", "off", "--output-format", "stream-json", "@@main@@"], 0);
    let made = |name: &str| fixture.home.work_dir().join(name).exists();
    assert!(made("inside") && !made("outside"), "its rules hold for it alone: {}", answer.out);
    for part in [
        r#""tool_use_result":{"success":true,"commandName":"forky","status":"forked","agentId":""#,
        r#""result":"Fork answer."}"#,
        r#""subtype":"task_started""#,
        r#""description":"/forky""#,
    ] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    let requests = fixture.api.requests();
    let body = |at: usize| String::from_utf8_lossy(&requests[at].body).into_owned();
    assert!(
        body(1).contains("For Ann: @@fork@@ in /") && body(1).contains("claude-haiku-5-5"),
        "{}",
        body(1)
    );
    assert!(body(3).contains("Fork answer.") && !body(3).contains("For Ann"), "{}", body(3));
    assert!(requests.iter().all(|request| request.violations.is_empty()));
    let session = fixture.sessions().into_iter().find(|path| path.is_file()).unwrap();
    assert_eq!(std::fs::read_dir(session.with_extension("").join("subagents")).unwrap().count(), 2);
    annals_exits(&fixture.home, &["check", &session.display().to_string()], 0);
}

#[test]
fn a_forked_skill_of_the_person_answers_without_the_model_of_the_session() {
    let fixture = fixture();
    let answer = fixture.exits(&["--sandbox", "off", "/forky Bob"], 0);
    assert_eq!(answer.out, "Fork answer.\n");
    assert_eq!(fixture.api.requests().len(), 2, "both are of the sub-agent");
    let session = fixture.sessions().into_iter().find(|path| path.is_file()).unwrap();
    let records = std::fs::read_to_string(&session).unwrap();
    assert!(records.contains("<command-name>/forky</command-name>"), "{records}");
    assert!(records.contains("<local-command-stdout>Fork answer.</local-command-stdout>"), "{records}");
    annals_exits(&fixture.home, &["check", &session.display().to_string()], 0);
    let stream = fixture.exits(&["--sandbox", "off", "--output-format", "stream-json", "/forky Bob"], 0).out;
    let count = |subtype: &str| stream.matches(&format!(r#""subtype":"{subtype}""#)).count();
    assert_eq!([count("task_started"), count("task_notification")], [1, 1], "{stream}");
    assert!(stream.contains(r#""result":"Fork answer.""#) && stream.contains(r#""num_turns":0"#), "{stream}");
    // An agent that does not exist is said.
    fixture.home.write("skills/lost/SKILL.md", "---\ncontext: fork\nagent: nobody\n---\nx\n");
    let answer = fixture.exits(&["/lost"], 1);
    assert!(answer.error.contains("nobody"), "{}", answer.error);
}

#[test]
fn skills_of_folders_below_are_there_once_a_file_there_is_used() {
    let fixture = fixture();
    let folder = fixture.home.work_dir().join("sub");
    for (name, text) in [
        ("a.txt", "alpha\n"),
        (".claude/skills/deep/SKILL.md", "---\ndescription: Deep\n---\nDEEP-BODY\n"),
        (".claude/skills/forky/SKILL.md", "---\ndescription: Other\n---\nOTHER-BODY\n"),
        (".claude/skills/group/inner/SKILL.md", "---\ndescription: Inner\n---\nINNER-BODY\n"),
        (".claude/skills/empty/SKILL.md", "---\ndescription: Empty\n---\n"),
    ] {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let read = |trust: &[&str]| {
        let before = fixture.api.requests().len();
        let answer = fixture.exits(&[trust, &["@@below@@"]].concat(), 0);
        (answer, String::from_utf8_lossy(&fixture.api.requests()[before + 3].body).into_owned())
    };
    let (_, body) = read(&[]);
    assert!(body.contains("Unknown skill: deep") && !body.contains("DEEP-BODY"), "not trusted: {body}");
    let (answer, body) = read(&["--trust"]);
    assert!(
        body.contains("DEEP-BODY") && body.contains("OTHER-BODY") && !body.contains("INNER-BODY"),
        "{body}"
    );
    assert!(answer.error.contains("empty") && answer.error.contains("it has no text"), "{}", answer.error);
    let sessions: Vec<String> =
        fixture.sessions().iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let records = sessions.iter().find(|records| records.contains("dynamic_skill")).unwrap();
    let found = format!(
        r#"{{"type":"dynamic_skill","skillDir":"{}","skillNames":["deep","sub:forky"],"displayPath":"sub/.claude/skills"}}"#,
        folder.join(".claude/skills").display()
    );
    assert!(records.contains(&found), "{records}");
    assert!(records.contains(r#""isInitial":false,"names":["deep","sub:forky"]"#), "{records}");
    assert!(fixture.api.requests().iter().all(|request| request.violations.is_empty()));
}
