//! Rare tools and rare results, as data: name, input, what the model reads, `toolUseResult`.

/// A tool that is shown once.
pub(crate) type Piece = (&'static str, &'static str, &'static str, &'static str);

/// 1.0.x.
pub(crate) const FIRST: &[Piece] = &[
    (
        "LS",
        r#"{"path":"/Users/tomas/dev/tide_pipeline/jobs"}"#,
        "- jobs/\n  - backfill.py\n  - nightly.py\n  - README.md",
        r#""- jobs/\n  - backfill.py\n  - nightly.py\n""#,
    ),
    (
        "Bash",
        r#"{"command":"uv run python -m jobs.serve --port 8090","description":"Start the preview","run_in_background":true}"#,
        "Command running in background with ID: bash_1",
        r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"backgroundTaskId":"bash_1"}"#,
    ),
    (
        "BashOutput",
        r#"{"bash_id":"bash_1"}"#,
        "<status>running</status>\n\n<stdout>\nserving gauges on port 8090\n</stdout>",
        r#"{"shellId":"bash_1","command":"uv run python -m jobs.serve --port 8090","status":"running","exitCode":null,"stdout":"serving gauges on port 8090\n","stderr":"","stdoutLines":2,"stderrLines":1,"timestamp":"2026-01-12T10:15:34.632Z"}"#,
    ),
    (
        "KillBash",
        r#"{"shell_id":"bash_1"}"#,
        r#"{"success":true,"message":"Successfully killed shell: bash_1"}"#,
        r#"{"success":true,"message":"Successfully killed shell: bash_1 (uv run python -m jobs.serve --port 8090)","shell_id":"bash_1"}"#,
    ),
    (
        "NotebookEdit",
        r##"{"notebook_path":"/Users/tomas/dev/tide_pipeline/notebooks/drift.ipynb","cell_number":1,"new_source":"# Sensor drift by station\nframe.groupby('station').drift.median()","edit_mode":"replace"}"##,
        "Updated cell 1",
        r##"{"cell_number":1,"new_source":"# Sensor drift by station\nframe.groupby('station').drift.median()","cell_type":"code","language":"python","edit_mode":"replace","error":""}"##,
    ),
    (
        "Grep",
        r#"{"pattern":"quality_flag","include":"*.py"}"#,
        "Found 1 file\n/Users/tomas/dev/tide_pipeline/tide/clean/flags.py",
        r#"{"filenames":["/Users/tomas/dev/tide_pipeline/tide/clean/flags.py"],"numFiles":1}"#,
    ),
    (
        "Grep",
        r#"{"pattern":"residual","output_mode":"count"}"#,
        "tide/model/residual.py:14\ntide/export/csv.py:3\n\nFound 17 occurrences",
        r#"{"mode":"count","numFiles":2,"filenames":[],"content":"tide/model/residual.py:14\ntide/export/csv.py:3","numMatches":17}"#,
    ),
    (
        "Bash",
        r#"{"command":"python --version","description":"Which Python is this"}"#,
        "Python 3.12.4",
        r#"{"stdout":"Python 3.12.4","stderr":"","interrupted":false,"isImage":false,"sandbox":false}"#,
    ),
];

/// 2.0.x to 2.1.6x.
pub(crate) const MIDDLE: &[Piece] = &[
    (
        "KillShell",
        r#"{"shell_id":"dce0af"}"#,
        r#"{"message":"Successfully killed shell: dce0af","shell_id":"dce0af"}"#,
        r#"{"message":"Successfully killed shell: dce0af (npm run dev)","shell_id":"dce0af"}"#,
    ),
    (
        "TaskOutput",
        r#"{"task_id":"b5798f9","block":true,"timeout":60000}"#,
        "<retrieval_status>timeout</retrieval_status>\n\n<task_id>b5798f9</task_id>\n\n<status>running</status>",
        r#"{"retrieval_status":"timeout","task":{"task_id":"b5798f9","task_type":"local_bash","status":"running","description":"End-to-end run of the checkout","output":"","exitCode":null}}"#,
    ),
    (
        "Skill",
        r#"{"skill":"release-notes"}"#,
        "Launching skill: release-notes",
        r#"{"success":true,"commandName":"release-notes","allowedTools":["Bash(git log:*)"]}"#,
    ),
    (
        "LSP",
        r#"{"operation":"documentSymbol","filePath":"src/cart/price.ts","line":1,"character":1}"#,
        "Document symbols:\nroundPrice (Function) - Line 12\nPriceLine (Interface) - Line 31",
        r#"{"operation":"documentSymbol","result":"Document symbols:\nroundPrice (Function) - Line 12\nPriceLine (Interface) - Line 31","filePath":"src/cart/price.ts","resultCount":2,"fileCount":1}"#,
    ),
    (
        "Bash",
        r#"{"command":"grep -rn voucherLimit src","description":"Look for the limit"}"#,
        "",
        r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"returnCodeInterpretation":"No matches found"}"#,
    ),
    ("EnterPlanMode", "{}", "Entered plan mode.", r#"{"message":"Entered plan mode."}"#),
    (
        "TaskStop",
        r#"{"task_id":"b5798f9"}"#,
        r#"{"message":"Successfully stopped task: b5798f9"}"#,
        r#"{"message":"Successfully stopped task: b5798f9 (npm run e2e)","task_id":"b5798f9","task_type":"local_bash","command":"npm run e2e"}"#,
    ),
    (
        "Glob",
        r#"{"pattern":"src/**/*.snap"}"#,
        "No files found",
        r#"{"filenames":[],"durationMs":11,"numFiles":0,"truncated":false}"#,
    ),
];

/// 2.1.9x and later.
pub(crate) const LATE: &[Piece] = &[
    (
        "Glob",
        r#"{"pattern":"docs/*.md"}"#,
        "docs/sync.md",
        r#"{"filenames":["docs/sync.md"],"durationMs":71,"numFiles":1,"truncated":false,"totalMatches":1,"countIsComplete":true}"#,
    ),
    (
        "Grep",
        r#"{"pattern":"syncToken","output_mode":"files_with_matches","head_limit":2}"#,
        "Found 2 files limit: 2\ninternal/sync/token.go\ninternal/sync/queue.go",
        r#"{"mode":"files_with_matches","filenames":["internal/sync/token.go","internal/sync/queue.go"],"numFiles":2,"totalFiles":7,"appliedLimit":2}"#,
    ),
    (
        "Grep",
        r#"{"pattern":"Conflict","output_mode":"content","-n":true}"#,
        "internal/sync/conflict.go:18:type Conflict struct {",
        r#"{"mode":"content","numFiles":0,"filenames":[],"content":"internal/sync/conflict.go:18:type Conflict struct {","numLines":1,"totalLines":1}"#,
    ),
    (
        "Monitor",
        r#"{"command":"tail -f build.log","timeout_ms":60000}"#,
        "Monitoring started.",
        r#"{"taskId":"mon41","timeoutMs":60000,"persistent":false}"#,
    ),
    (
        "SendMessage",
        r#"{"to":"okke","summary":"second round","message":"Please look at the conflict tests again."}"#,
        r#"{"success":true,"message":"Message sent to okke's inbox"}"#,
        r#"{"success":true,"message":"Message sent to okke's inbox","routing":{"sender":"team-lead","target":"@okke","summary":"second round","content":"Please look at the conflict tests again."}}"#,
    ),
    (
        "ReportFindings",
        r#"{"findings":[{"file":"internal/sync/queue.go","line":88,"summary":"The lock is held while the note is written."}]}"#,
        "1 finding reported",
        r#"{"count":1,"findings":[{"file":"internal/sync/queue.go","line":88,"summary":"The lock is held while the note is written."}],"level":"medium"}"#,
    ),
    (
        "ScheduleWakeup",
        r#"{"delaySeconds":1800,"reason":"look at the nightly sync"}"#,
        "Wakeup scheduled.",
        r#"{"scheduledFor":1784556000000,"clampedDelaySeconds":1800,"wasClamped":false}"#,
    ),
    (
        "Artifact",
        r#"{"file_path":"C:\\Users\\ines\\AppData\\Local\\Temp\\sync-report.html","description":"Report on sync conflicts","favicon":"📓"}"#,
        "Published the page.",
        r#"{"url":"https://artifacts.example.com/7e76d82e","path":"C:\\Users\\ines\\AppData\\Local\\Temp\\sync-report.html","title":"Sync conflicts","updated":false,"liveSubscription":"flag_off"}"#,
    ),
    (
        "TaskList",
        "{}",
        "#1 [completed] Write the conflict test",
        r#"{"tasks":[{"id":"1","subject":"Write the conflict test","status":"completed","owner":"","blockedBy":[]}]}"#,
    ),
    (
        "TaskGet",
        r#"{"taskId":"1"}"#,
        "Task #1: Write the conflict test",
        r#"{"task":{"id":"1","subject":"Write the conflict test","description":"Two devices, one note","status":"completed","blocks":[],"blockedBy":[]}}"#,
    ),
    (
        "AskUserQuestion",
        r#"{"questions":[{"question":"Which side wins when both devices changed the title?","header":"Conflict","options":[{"label":"The newer one","description":"By the device's clock"},{"label":"Keep both","description":"The older title becomes an alias"}],"multiSelect":false}]}"#,
        "Your questions have been answered: \"Which side wins when both devices changed the title?\"=\"Keep both\"",
        r#"{"questions":[{"question":"Which side wins when both devices changed the title?","header":"Conflict","options":[{"label":"The newer one","description":"By the device's clock"},{"label":"Keep both","description":"The older title becomes an alias"}],"multiSelect":false}],"answers":{"Which side wins when both devices changed the title?":"Keep both"},"annotations":{}}"#,
    ),
    (
        "Bash",
        r#"{"command":"npm run build","description":"Build","timeout":120000}"#,
        "Command running in background with ID: b622bd5",
        r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"b622bd5","assistantAutoBackgrounded":true}"#,
    ),
];

/// Results that only a few lines have, 2.1.9x and later.
pub(crate) const RARE: &[Piece] = &[
    (
        "Bash",
        r#"{"command":"npm run e2e","description":"End to end"}"#,
        "Command running in background with ID: b71",
        r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"b71"}"#,
    ),
    (
        "Bash",
        r#"{"command":"sleep 600","description":"Wait","timeout":120000}"#,
        "Command running in background with ID: b72",
        r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"b72","timedOutAfterMs":120000,"backgroundCwdHint":"/home/mira/work/lantern-shop"}"#,
    ),
    (
        "Bash",
        r#"{"command":"npm run watch","description":"Watch"}"#,
        "Command was moved to the background with ID: b73",
        r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"backgroundTaskId":"b73","backgroundedByUser":true}"#,
    ),
    (
        "Bash",
        r#"{"command":"grep -c voucher src/none.ts","description":"Count"}"#,
        "0",
        r#"{"stdout":"0","stderr":"","interrupted":false,"isImage":false,"returnCodeInterpretation":"No matches found","noOutputExpected":false}"#,
    ),
    (
        "Bash",
        r#"{"command":"git commit --amend --no-edit","description":"Amend"}"#,
        "[main bf395534] limit vouchers",
        r#"{"stdout":"[main bf395534] limit vouchers","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"gitOperation":{"commit":{"sha":"bf395534","kind":"amended"}},"staleReadFileStateHint":"src/cart/voucher.ts changed"}"#,
    ),
    (
        "Edit",
        r#"{"file_path":"/home/mira/.claude/projects/-home-mira-work-lantern-shop/memory/MEMORY.md","old_string":"cents","new_string":"cents, always","replace_all":false}"#,
        "The file has been updated successfully.",
        r#"{"filePath":"/home/mira/.claude/projects/-home-mira-work-lantern-shop/memory/MEMORY.md","oldString":"cents","newString":"cents, always","originalFile":"- prices are integers, in cents\n","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-- prices are integers, in cents","+- prices are integers, in cents, always"]}],"userModified":false,"replaceAll":false,"memdirStamped":true}"#,
    ),
    (
        "Edit",
        r#"{"file_path":"/home/mira/work/lantern-shop/src/cart/limit.ts","old_string":"3","new_string":"2","replace_all":false}"#,
        "The file has been updated successfully.",
        r#"{"filePath":"/home/mira/work/lantern-shop/src/cart/limit.ts","oldString":"3","newString":"2","originalFile":"export const LIMIT = 3;\n","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-export const LIMIT = 3;","+export const LIMIT = 2;"]}],"userModified":false,"replaceAll":false,"staleRecovered":true}"#,
    ),
    (
        "Write",
        r#"{"file_path":"/home/mira/.claude/projects/-home-mira-work-lantern-shop/memory/vouchers.md","content":"At most two.\n"}"#,
        "File created successfully.",
        r#"{"type":"create","filePath":"/home/mira/.claude/projects/-home-mira-work-lantern-shop/memory/vouchers.md","content":"At most two.\n","structuredPatch":[],"originalFile":null,"userModified":false,"memdirStamped":true}"#,
    ),
    (
        "Grep",
        r#"{"pattern":"LIMIT","output_mode":"content","head_limit":1}"#,
        "src/cart/limit.ts:export const LIMIT = 2;",
        r#"{"mode":"content","numFiles":0,"filenames":[],"content":"src/cart/limit.ts:export const LIMIT = 2;","numLines":1,"appliedLimit":1,"totalLines":9}"#,
    ),
    (
        "Grep",
        r#"{"pattern":"LIMIT","output_mode":"content","head_limit":1,"-i":true}"#,
        "src/cart/limit.ts:export const LIMIT = 2;",
        r#"{"mode":"content","numFiles":0,"filenames":[],"content":"src/cart/limit.ts:export const LIMIT = 2;","numLines":1,"appliedLimit":1}"#,
    ),
    (
        "Grep",
        r#"{"pattern":"LIMIT"}"#,
        "Found 1 file\nsrc/cart/limit.ts",
        r#"{"mode":"files_with_matches","filenames":["src/cart/limit.ts"],"numFiles":1,"totalFiles":1}"#,
    ),
    (
        "TaskUpdate",
        r#"{"taskId":"2","status":"completed"}"#,
        "Updated task #2",
        r#"{"success":true,"taskId":"2","updatedFields":["status"],"statusChange":{"from":"in_progress","to":"completed"},"verificationNudgeNeeded":true}"#,
    ),
    (
        "TaskUpdate",
        r#"{"taskId":"3","status":"completed"}"#,
        "Updated task #3",
        r#"{"success":true,"taskId":"3","updatedFields":[]}"#,
    ),
    (
        "TaskUpdate",
        r#"{"taskId":"4","owner":"okke"}"#,
        "Updated task #4",
        r#"{"success":true,"taskId":"4","updatedFields":["owner"],"verificationNudgeNeeded":false}"#,
    ),
    (
        "Skill",
        r#"{"skill":"tidy"}"#,
        "Launching skill: tidy",
        r#"{"success":true,"commandName":"tidy","allowedTools":["Edit"],"model":"claude-sonnet-5"}"#,
    ),
    (
        "AskUserQuestion",
        r#"{"questions":[{"question":"Two or three vouchers?","header":"Limit","options":[{"label":"Two","description":"As today"},{"label":"Three","description":"More generous"}],"multiSelect":false}]}"#,
        "Your questions have been answered: \"Two or three vouchers?\"=\"Two\"",
        r#"{"questions":[{"question":"Two or three vouchers?","header":"Limit","options":[{"label":"Two","description":"As today"},{"label":"Three","description":"More generous"}],"multiSelect":false}],"answers":{"Two or three vouchers?":"Two"}}"#,
    ),
    (
        "TaskStop",
        r#"{"task_id":"b71"}"#,
        r#"{"message":"Successfully stopped task: b71"}"#,
        r#"{"message":"Successfully stopped task: b71","task_id":"b71","task_type":"local_bash"}"#,
    ),
    (
        "TaskStop",
        r#"{"task_id":"b72"}"#,
        r#"{"message":"Successfully stopped task: b72"}"#,
        r#"{"message":"Successfully stopped task: b72"}"#,
    ),
    (
        "SendMessage",
        r#"{"to":"okke","message":"Two."}"#,
        r#"{"success":true}"#,
        r#"{"success":true,"message":"Message sent to okke's inbox"}"#,
    ),
    (
        "SendMessage",
        r#"{"to":"okke","message":"Two, always."}"#,
        r#"{"success":true}"#,
        r#"{"success":true,"message":"Message queued","pin":{"id":"okke","name":"okke","ref":"51a2b3"}}"#,
    ),
    ("ReportFindings", r#"{"findings":[]}"#, "0 findings reported", r#"{"count":0,"findings":[]}"#),
    (
        "ScheduleWakeup",
        r#"{"stop":true}"#,
        "Wakeups stopped.",
        r#"{"scheduledFor":0,"clampedDelaySeconds":0,"wasClamped":false,"cancelledWakeups":1,"stopped":true}"#,
    ),
    (
        "PowerShell",
        r#"{"command":"Start-Job { npm run dev }","description":"Start"}"#,
        "Command running in background with ID: p1",
        r#"{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"p1"}"#,
    ),
    (
        "PowerShell",
        r#"{"command":"npm run build","description":"Build"}"#,
        "Command running in background with ID: p2",
        r#"{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"p2","assistantAutoBackgrounded":true}"#,
    ),
    (
        "WebSearch",
        r#"{"query":"voucher stacking rules"}"#,
        "Web search results for query: \"voucher stacking rules\"",
        r#"{"query":"voucher stacking rules","results":["Most shops allow one."],"durationSeconds":3.5,"searchCount":1}"#,
    ),
];

/// A call that went wrong: name, input, what was said.
pub(crate) type Failure = (&'static str, &'static str, &'static str);

/// Until 2.1.6x.
pub(crate) const FAILED: &[Failure] = &[
    (
        "Task",
        r#"{"subagent_type":"general-purpose","description":"Look around"}"#,
        "InputValidationError: Task failed: prompt is missing",
    ),
    (
        "KillShell",
        r#"{"shell_id":"dce0af"}"#,
        "Shell dce0af is not running, so cannot be killed (status: killed)",
    ),
    ("TaskOutput", r#"{"task_id":"ac27727","block":false,"timeout":5000}"#, "No task found with ID: ac27727"),
    ("Glob", r#"{"pattern":"**/*","path":"/none"}"#, "Directory does not exist: /none"),
    ("FailingTool", r#"{"test_param":"nothing"}"#, "Tool execution failed: Command not found"),
];

/// Later.
pub(crate) const FAILED_LATE: &[Failure] = &[
    (
        "Edit",
        r#"{"file_path":"src/cart/limit.ts","old_string":"2","new_string":"3","replace_all":false}"#,
        "File has not been read yet. Read it first before writing to it.",
    ),
    (
        "Write",
        r#"{"file_path":"src/cart/limit.ts","content":""}"#,
        "File has not been read yet. Read it first before writing to it.",
    ),
    ("mcp__tickets__get_issue", r#"{"number":7}"#, "MCP error -32602: Input validation error: id is missing"),
    (
        "Agent",
        r#"{"description":"Review","prompt":"Review the limit","subagent_type":"critic"}"#,
        "Agent type 'critic' not found",
    ),
    ("Skill", r#"{"skill":"commit"}"#, "Unknown skill: commit"),
    (
        "WebFetch",
        r#"{"url":"https://www.example.com/private","prompt":"What is there?"}"#,
        "Request failed with status code 403",
    ),
    ("WebSearch", r#"{"query":"voucher law"}"#, "Permission to use WebSearch has not been granted."),
    ("AskUserQuestion", r#"{"question":"Two?"}"#, "No such tool available: AskUserQuestion"),
    ("TaskStop", r#"{"task_id":"nope"}"#, "No task found with ID: nope"),
];
