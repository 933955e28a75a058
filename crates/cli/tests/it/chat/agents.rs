//! Sub-agents of `annals chat -p`: their output, their definitions, and the files of one that was killed.

use super::{ChatFixture, text};
use crate::annals_exits;

const ERRAND: &str = r#"{"a":[[{"type":"tool_use","id":"toolu_parent","name":"Agent","input":{"description":"look","prompt":"look: @@b@@","subagent_type":"KIND"}}],
        [{"type":"text","text":"all done"}]],
    "b":[[{"type":"tool_use","name":"Glob","input":{"pattern":"*"}}],[{"type":"text","text":"found nothing"}]]}"#;

#[test]
fn a_sub_agent_that_was_killed_stays_as_it_was_and_is_shown() {
    let fixture = ChatFixture::new(&ERRAND.replace("KIND", "Explore"));
    fixture.exits(&["@@a@@"], 0);
    let session = fixture.sessions().into_iter().find(|path| path.is_file()).unwrap();
    let folder = std::fs::read_dir(session.with_extension("").join("subagents")).unwrap();
    let mut inside = folder.flatten().map(|entry| entry.path());
    let inside = inside.find(|path| path.extension().is_some_and(|end| end == "jsonl")).unwrap();
    // As a kill leaves them: the last line of each is a call that nobody has answered.
    for file in [&session, &inside] {
        let text = std::fs::read_to_string(file).unwrap();
        let call = text.lines().position(|line| line.contains(r#""type":"tool_use""#)).unwrap();
        let lines: Vec<_> = text.lines().take(call + 1).map(|line| format!("{line}\n")).collect();
        std::fs::write(file, lines.concat()).unwrap();
    }
    let left = std::fs::read(&inside).unwrap();
    fixture.exits(&["--continue", "go on"], 0);
    assert_eq!(std::fs::read(&inside).unwrap(), left, "nobody resumes it: it is left alone");
    assert!(fixture.last().contains("The session ended before this call was answered"), "{}", fixture.last());
    let session = session.display().to_string();
    annals_exits(&fixture.home, &["check", &session], 0);
    // Of itself, it has the one call that is open, and nothing worse.
    let checked = annals_exits(&fixture.home, &["check", &inside.display().to_string()], 3).out;
    assert!(
        checked.contains("  warning line 2, ") && checked.contains("A tool call without a result"),
        "{checked}"
    );
    assert!(checked.matches(" line ").count() == 1 && checked.contains("1 of 1 file resumes"), "{checked}");
    let agents = annals_exits(&fixture.home, &["show", &session, "--as", "agents"], 0).out;
    assert!(agents.contains("toolu_parent"), "{agents}");
    let shown = annals_exits(&fixture.home, &["show", &inside.display().to_string()], 0).out;
    assert!(shown.contains("look: @@b@@") && shown.contains("Glob"), "{shown}");
}

#[test]
fn a_sub_agent_works_and_its_lines_say_for_which_call() {
    let fixture = ChatFixture::new(&ERRAND.replace("KIND", "Explore"));
    let answer = fixture.exits(&["--output-format", "stream-json", "@@a@@"], 0);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert!(lines[0].contains(r#""agents":["general-purpose","Explore"]"#), "{}", lines[0]);
    assert!(
        lines[0].contains(r#""Task""#)
            && lines[0].contains(r#""WebFetch""#)
            && lines[0].contains("ExitPlanMode")
    );
    let own = lines.iter().filter(|line| line.contains(r#""parent_tool_use_id":null"#)).count();
    let inside = lines.iter().filter(|line| line.contains(r#""parent_tool_use_id":"toolu_parent""#)).count();
    // Of a sub-agent its calls and their results, not its texts.
    assert_eq!((own, inside), (3, 2), "{}", answer.out);
    let tasks: Vec<_> = lines.iter().filter(|line| line.contains(r#""subtype":"task_"#)).collect();
    for (task, kind) in
        tasks.iter().zip(["task_started", "task_progress", "task_updated", "task_notification"])
    {
        assert!(task.contains(kind), "{task}");
    }
    assert!(
        tasks[1].contains(r#""tool_uses":1"#) && tasks[1].contains(r#""last_tool_name":"Glob""#),
        "{}",
        tasks[1]
    );
    assert_eq!(tasks.len(), 4, "{}", answer.out);
    assert_eq!(text(lines.last().unwrap(), &["result"]), "all done");
    // Four responses of 20 tokens each, of which two are turns.
    assert!(
        answer.out.contains(r#""num_turns":2"#) && lines.last().unwrap().contains(r#""output_tokens":80"#),
        "{}",
        answer.out
    );
    let session = fixture.sessions().into_iter().find(|path| path.is_file()).unwrap();
    annals_exits(&fixture.home, &["check", &session.display().to_string()], 0);
    let agents =
        annals_exits(&fixture.home, &["show", &session.display().to_string(), "--as", "agents"], 0).out;
    assert!(agents.contains("toolu_parent"), "{agents}");
    // What reads only has no other tools, and no sub-agents.
    let bodies: Vec<_> = fixture
        .api
        .requests()
        .iter()
        .map(|request| String::from_utf8(request.body.clone()).unwrap())
        .collect();
    assert!(bodies[0].contains(r#""name":"Bash""#) && !bodies[1].contains(r#""name":"Bash""#));
    assert!(bodies[1].contains(r#""name":"Grep""#) && !bodies[1].contains(r#""name":"Agent""#));
    assert!(fixture.api.requests().iter().all(|request| request.violations.is_empty()));
}

#[test]
fn types_of_sub_agents_are_read_from_files_and_a_projects_only_where_it_is_trusted() {
    let fixture = ChatFixture::new(&ERRAND.replace("KIND", "looker"));
    let kind = |words: &str| {
        format!("---\nname: looker\ndescription: Looks\ntools: Glob\nmodel: haiku\n---\n{words}\n")
    };
    fixture.home.write("agents/looker.md", kind("OF-THE-PERSON"));
    fixture.home.write("agents/broken.md", "no head");
    let project = fixture.home.work_dir().join(".claude/agents");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("looker.md"), kind("OF-THE-PROJECT")).unwrap();
    let inside = |fixture: &ChatFixture| {
        let requests = fixture.api.requests();
        String::from_utf8(requests[requests.len() - 2].body.clone()).unwrap()
    };
    let answer = fixture.exits(&["@@a@@"], 0);
    assert!(answer.error.contains("broken.md: it has no front matter"), "{}", answer.error);
    assert!(
        inside(&fixture).contains("OF-THE-PERSON") && inside(&fixture).contains("claude-haiku"),
        "{}",
        inside(&fixture)
    );
    fixture.exits(&["--trust", "@@a@@"], 0);
    assert!(inside(&fixture).contains("OF-THE-PROJECT") && !inside(&fixture).contains("OF-THE-PERSON"));
}

#[test]
fn a_sub_agent_in_the_background_is_waited_for_and_opens_a_turn() {
    let errand = ERRAND
        .replace("KIND", "Explore")
        .replace(r#""description":"look","#, r#""description":"look","run_in_background":true,"#);
    let errand = errand.replace(
        r#"[{"type":"text","text":"all done"}]"#,
        r#"[{"type":"text","text":"begun"}],[{"type":"text","text":"heard"}]"#,
    );
    let fixture = ChatFixture::new(&errand);
    let answer = fixture.exits(&["--output-format", "stream-json", "@@a@@"], 0);
    let lines: Vec<&str> = answer.out.lines().collect();
    let results: Vec<_> = lines.iter().filter(|line| line.contains(r#""type":"result""#)).collect();
    assert_eq!(results.len(), 2, "{}", answer.out);
    assert_eq!([text(results[0], &["result"]), text(results[1], &["result"])], ["begun", "heard"]);
    let tasks: Vec<_> = lines.iter().filter(|line| line.contains(r#""subtype":"task_"#)).collect();
    assert_eq!(tasks.len(), 3, "{}", answer.out);
    assert!(
        tasks[0].contains("task_started") && tasks[0].contains(r#""is_backgrounded":true"#),
        "{}",
        tasks[0]
    );
    assert!(tasks[1].contains("task_updated") && tasks[1].contains(r#""end_time":"#), "{}", tasks[1]);
    assert!(
        tasks[2].contains(r#""status":"completed""#) && tasks[2].contains(r#""tool_uses":1"#),
        "{}",
        tasks[2]
    );
    let session = fixture.sessions().into_iter().find(|path| path.is_file()).unwrap();
    annals_exits(&fixture.home, &["check", &session.display().to_string()], 0);
    // Where one answer is printed, it is the one that knows what came of it.
    assert_eq!(fixture.exits(&["@@a@@"], 0).out, "heard\n");
    let answer = fixture.exits(&["--output-format", "json", "@@a@@"], 0);
    assert_eq!(
        (answer.out.lines().count(), text(answer.out.trim_end(), &["result"])),
        (1, "heard".to_owned())
    );
}

#[test]
fn tasks_stand_in_place_of_todos_where_they_are_wanted() {
    let script = r#"{"a":[[{"type":"tool_use","name":"TaskCreate","input":{"subject":"One","description":"d"}}],[{"type":"text","text":"ok"}]]}"#;
    let fixture = ChatFixture::new(script);
    fixture.exits(&["@@a@@"], 0);
    assert!(
        fixture.last().contains("TodoWrite")
            && !fixture.last().contains(r#""name":"TaskCreate","description""#)
    );
    let settings = r#"{"env":{"CLAUDE_CODE_ENABLE_TASKS":"1"}}"#;
    fixture.exits(&["--settings", settings, "@@a@@"], 0);
    let sent = fixture.last();
    assert!(sent.contains("Task #1 was created: One") && !sent.contains("TodoWrite"), "{sent}");
    let folders = std::fs::read_dir(fixture.home.config_dir().join("tasks")).unwrap().flatten();
    let folders: Vec<_> = folders.map(|entry| entry.path()).collect();
    assert!(folders.len() == 1 && folders[0].join("1.json").is_file(), "{folders:?}");
    // A session that has tasks keeps them.
    let session = folders[0].file_name().unwrap().to_str().unwrap();
    fixture.exits(&["--resume", session, "@@a@@ again"], 0);
    assert!(fixture.last().contains("Task #2 was created: One"), "{}", fixture.last());
}

#[test]
fn hooks_object_to_tasks() {
    let call =
        |tool: &str, input: &str| format!(r#"[{{"type":"tool_use","name":"{tool}","input":{input}}}]"#);
    let script = format!(
        r#"{{"a":[{},{},{},[{{"type":"text","text":"ok"}}]]}}"#,
        call("TaskCreate", r#"{"subject":"One","description":"d"}"#),
        call("TaskCreate", r#"{"subject":"BAD","description":"d"}"#),
        call("TaskUpdate", r#"{"taskId":"1","status":"completed"}"#)
    );
    let fixture = ChatFixture::new(&script);
    let guard = r#"[{"hooks":[{"type":"command","command":"grep -q 'BAD\\|TaskCompleted' || exit 0; echo not so >&2; exit 2"}]}]"#;
    let settings = format!(
        r#"{{"env":{{"CLAUDE_CODE_ENABLE_TASKS":"1"}},"hooks":{{"TaskCreated":{guard},"TaskCompleted":{guard}}}}}"#
    );
    fixture.exits(&["--settings", &settings, "@@a@@"], 0);
    let session =
        std::fs::read_to_string(fixture.sessions().into_iter().find(|path| path.is_file()).unwrap()).unwrap();
    for part in [
        "TaskCreated hook feedback:\\n",
        r#""success":false,"taskId":"1","updatedFields":[],"error":"TaskCompleted hook"#,
    ] {
        assert!(session.contains(part), "{part}\n{session}");
    }
    let folder =
        std::fs::read_dir(fixture.home.config_dir().join("tasks")).unwrap().flatten().next().unwrap().path();
    let task = std::fs::read_to_string(folder.join("1.json")).unwrap();
    assert!(task.contains(r#""status": "pending""#) && !folder.join("2.json").exists(), "{task}");
}
