-- The views of `annals sql`: one row per thing, names instead of numbers. Times are milliseconds since 1970, UTC.
-- They are temporary and made for the first statement of a connection: stored in the index, every query would have to read
-- their definitions. `problems` and `tool_calls` hide the tables of the same name, which are `main.problems` and
-- `main.tool_calls`; all SQL of this crate names those two tables in full.

-- Not for people: the ids of the records of lines, as text.
CREATE TEMP VIEW IF NOT EXISTS record_ids AS
SELECT
    id, file, line,
    iif(length(uuid) = 16, lower(substr(hex(uuid), 1, 8) || '-' || substr(hex(uuid), 9, 4) || '-' || substr(hex(uuid), 13, 4)
        || '-' || substr(hex(uuid), 17, 4) || '-' || substr(hex(uuid), 21)), CAST(uuid AS TEXT)) AS uuid,
    iif(length(parent) = 16, lower(substr(hex(parent), 1, 8) || '-' || substr(hex(parent), 9, 4) || '-'
        || substr(hex(parent), 13, 4) || '-' || substr(hex(parent), 17, 4) || '-' || substr(hex(parent), 21)),
        CAST(parent AS TEXT)) AS parent_uuid
FROM messages;

CREATE TEMP VIEW IF NOT EXISTS sessions AS
SELECT
    files.session AS id,
    files.slug AS project,
    (SELECT value FROM facts WHERE file = files.id AND kind = 0 ORDER BY count DESC, first LIMIT 1) AS cwd,
    (SELECT value FROM facts WHERE file = files.id AND kind = 1 ORDER BY last DESC LIMIT 1) AS git_branch,
    (SELECT 'anthropic:' || value FROM facts WHERE file = files.id AND kind = 3 ORDER BY last DESC LIMIT 1) AS backing_model_id,
    coalesce(
        (SELECT nullif(value, '') FROM facts WHERE file = files.id AND kind = 7),
        (SELECT nullif(value, '') FROM facts WHERE file = files.id AND kind = 8),
        (SELECT nullif(value, '') FROM facts WHERE file = files.id AND kind = 9),
        (SELECT value FROM facts WHERE file = files.id AND kind = 10),
        (SELECT value FROM facts WHERE file = files.id AND kind = 11)
    ) AS title,
    (SELECT nullif(value, '') FROM facts WHERE file = files.id AND kind = 12) AS tag,
    (SELECT group_concat(value, ' ') FROM (SELECT value FROM facts WHERE file = files.id AND kind = 2 ORDER BY first))
        AS versions,
    (SELECT value FROM facts WHERE file = files.id AND kind = 14) AS created,
    (SELECT CAST(value AS INTEGER) FROM facts WHERE file = files.id AND kind = 15) AS active,
    (SELECT count(*) FROM files AS agents WHERE agents.session = files.session AND agents.role = 1) AS sub_agents,
    (SELECT sum(nanos * 1.0) / 1e9 FROM spent JOIN files AS theirs ON theirs.id = spent.file
        WHERE theirs.session = files.session) AS cost_usd,
    files.records, files.lines, files.bytes, files.path AS file,
    iif(files.state = 0, 'there', 'gone') AS state
FROM files WHERE files.role = 0;

CREATE TEMP VIEW IF NOT EXISTS threads AS
SELECT session, agent, kind, agent_type, spawned_by,
    (SELECT record_ids.uuid FROM files JOIN main.tool_calls AS calls ON calls.file = files.id
        AND calls.tool_use = spawned_threads.spawned_by
        JOIN record_ids ON record_ids.file = calls.file AND record_ids.line = calls.called
        WHERE files.session = spawned_threads.session LIMIT 1) AS spawned_by_uuid,
    records, bytes, file
FROM spawned_threads;

CREATE TEMP VIEW IF NOT EXISTS projects AS
SELECT
    slug AS project,
    (SELECT value FROM facts JOIN files AS theirs ON theirs.id = facts.file
        WHERE theirs.slug = files.slug AND theirs.role = 0 AND kind = 0
        GROUP BY value ORDER BY sum(count) DESC, min(first) LIMIT 1) AS cwd,
    sum(role = 0) AS sessions,
    sum(role = 1) AS sub_agents,
    sum(bytes) AS bytes,
    (SELECT max(CAST(value AS INTEGER)) FROM facts JOIN files AS theirs ON theirs.id = facts.file
        WHERE theirs.slug = files.slug AND theirs.role = 0 AND kind = 15) AS active,
    (SELECT sum(nanos * 1.0) / 1e9 FROM spent JOIN files AS theirs ON theirs.id = spent.file WHERE theirs.slug = files.slug)
        AS cost_usd
FROM files WHERE role IN (0, 1) GROUP BY slug;

CREATE TEMP VIEW IF NOT EXISTS todos AS
SELECT
    files.session AS session, files.agent AS agent, files.slug AS project,
    iif(files.role = 5, 'todo', 'task') AS kind, number, content, status, active_form, priority,
    files.path AS file, line, todo_items.offset AS offset, length
FROM todo_items JOIN files ON files.id = todo_items.file;

CREATE TEMP VIEW IF NOT EXISTS file_versions AS
SELECT
    files.session AS session, files.slug AS project, file_copies.path AS path, iif(version < 0, NULL, version) AS version, time,
    'file-history/' || files.session || '/' || copy AS copy,
    CASE WHEN version < 0 THEN 'content' WHEN copy IS NULL THEN 'nothing' ELSE 'copy' END AS kept,
    files.path AS file, line, file_copies.offset AS offset, length
FROM file_copies JOIN files ON files.id = file_copies.file;

CREATE TEMP VIEW IF NOT EXISTS prompts AS
SELECT
    asked.millis, asked.project AS cwd, nullif(asked.session, '') AS session, words, files.path AS file, line,
    asked.offset AS offset, length
FROM asked JOIN files ON files.id = asked.file;

CREATE TEMP VIEW IF NOT EXISTS plans AS
-- A plan and each session that names it, in its own lines or those of a sub-agent; a plan of a sub-agent has the name of
-- its session's plan before `-agent-`.
SELECT plan_files.name AS name, named.session AS session, named.project AS project, plan_files.bytes, modified, plan_files.file
FROM (
    SELECT replace(replace(path, 'plans/', ''), '.md', '') AS name, bytes, modified / 1000000 AS modified, path AS file
    FROM files WHERE role = 4
) AS plan_files
LEFT JOIN (
    SELECT DISTINCT facts.value AS name, files.session AS session,
        coalesce((SELECT slug FROM files AS owner WHERE owner.session = files.session AND owner.role = 0 LIMIT 1), files.slug)
            AS project
    FROM facts JOIN files ON files.id = facts.file WHERE facts.kind = 5 AND files.role IN (0, 1)
) AS named ON named.name = plan_files.name OR (instr(plan_files.name, '-agent-') > 0
    AND named.name = substr(plan_files.name, 1, instr(plan_files.name, '-agent-') - 1));

CREATE TEMP VIEW IF NOT EXISTS pull_requests AS
SELECT
    files.session AS session, files.slug AS project,
    CAST(substr(value, 1, instr(value, char(9)) - 1) AS INTEGER) AS number,
    substr(value, instr(value, char(9)) + 1,
        instr(substr(value, instr(value, char(9)) + 1), char(9)) - 1) AS repository,
    substr(value, instr(value, char(9)) + 1 + instr(substr(value, instr(value, char(9)) + 1), char(9))) AS url,
    files.path AS file, first AS line
FROM facts JOIN files ON files.id = facts.file WHERE kind = 6;

CREATE TEMP VIEW IF NOT EXISTS problems AS
SELECT files.session AS session, files.agent AS agent, files.slug AS project, kind, files.path AS file, line,
    problems.offset AS offset, length
FROM main.problems JOIN files ON files.id = problems.file
UNION ALL
-- A last line that is no complete record is not read yet, and may still be written.
SELECT session, agent, slug, 'torn-tail', path, lines + 1, offset, bytes - offset
FROM files WHERE role IN (0, 1) AND state = 0 AND offset < bytes;

CREATE TEMP VIEW IF NOT EXISTS blocks AS
SELECT
    messages.id, files.session AS session, files.agent AS agent, files.slug AS project,
    CASE messages.role WHEN 0 THEN 'human' WHEN 1 THEN 'assistant' WHEN 2 THEN 'tool' ELSE 'system' END AS role,
    CASE kind WHEN 0 THEN 'prompt' WHEN 1 THEN 'response' WHEN 2 THEN 'thinking' WHEN 3 THEN 'tool_call'
        WHEN 4 THEN 'tool_result' WHEN 5 THEN 'context' WHEN 6 THEN 'error' WHEN 7 THEN 'title' WHEN 8 THEN 'plan' ELSE 'memory' END
        AS kind,
    names.name AS tool, messages.is_error, messages.millis, messages.bytes,
    files.path AS file, messages.line, messages.offset, messages.length, messages.block,
    record_ids.uuid AS uuid, record_ids.parent_uuid AS parent_uuid,
    -- Of a response, at the first block of its first line only: sums over blocks are right.
    iif(messages.block = 0, (SELECT input FROM responses WHERE responses.file = messages.file
        AND responses.line = messages.line), NULL) AS tokens_in,
    iif(messages.block = 0, (SELECT output FROM responses WHERE responses.file = messages.file
        AND responses.line = messages.line), NULL) AS tokens_out
FROM messages JOIN files ON files.id = messages.file JOIN record_ids ON record_ids.id = messages.id
    LEFT JOIN names ON names.id = messages.tool;

CREATE TEMP VIEW IF NOT EXISTS tool_calls AS
SELECT
    tool_calls.id, files.session AS session, files.agent AS agent, files.slug AS project, tool_use, names.name AS tool,
    called AS line, answered AS result_line, started, ended, ended - started AS duration_ms, tool_calls.is_error,
    paths.name AS path, tool_calls.agent AS started_agent, input AS input_bytes, result AS result_bytes,
    files.path AS file,
    (SELECT messages.offset FROM messages WHERE messages.file = files.id AND messages.line = called LIMIT 1) AS offset,
    (SELECT uuid FROM record_ids WHERE record_ids.file = files.id AND record_ids.line = called LIMIT 1) AS uuid,
    (SELECT uuid FROM record_ids WHERE record_ids.file = files.id AND record_ids.line = answered LIMIT 1) AS result_uuid
FROM main.tool_calls JOIN files ON files.id = tool_calls.file LEFT JOIN names ON names.id = tool_calls.tool
    LEFT JOIN paths ON paths.id = tool_calls.path;

CREATE TEMP VIEW IF NOT EXISTS usage AS
SELECT
    files.session AS session, files.agent AS agent, files.slug AS project, names.name AS model,
    charges.millis, input, output, cache_read, write_5m AS cache_write_5m,
    write_1h AS cache_write_1h, searches AS web_searches, nanos / 1e9 AS cost_usd,
    CASE certainty WHEN 0 THEN 'table' WHEN 1 THEN 'derived' ELSE 'unpriced' END AS priced_by, files.path AS file,
    (SELECT line FROM responses WHERE responses.key = charges.key AND responses.file = charges.file) AS line,
    (SELECT messages.offset FROM responses JOIN messages ON messages.file = responses.file AND messages.line = responses.line
        WHERE responses.key = charges.key AND responses.file = charges.file LIMIT 1) AS offset
FROM charges JOIN files ON files.id = charges.file LEFT JOIN names ON names.id = charges.model;

-- Files that hold the whole of an output, and the calls that they belong to.
CREATE TEMP VIEW IF NOT EXISTS outputs AS
SELECT
    files.session AS session, theirs.agent AS agent, files.slug AS project, theirs.call AS tool_use, names.name AS tool,
    files.bytes, files.path AS file,
    (SELECT uuid FROM record_ids WHERE record_ids.file = theirs.id AND record_ids.line = theirs.line LIMIT 1) AS result_uuid
FROM files
LEFT JOIN (
    SELECT owners.id AS id, owners.session AS session, owners.agent AS agent, facts.first AS line,
        substr(value, 1, instr(value, char(9)) - 1) AS name, substr(value, instr(value, char(9)) + 1) AS call
    FROM facts JOIN files AS owners ON owners.id = facts.file WHERE facts.kind = 20
) AS theirs ON theirs.session = files.session AND '/' || theirs.name = substr(files.path, -length(theirs.name) - 1)
LEFT JOIN main.tool_calls AS calls ON calls.file = theirs.id AND calls.tool_use = theirs.call
LEFT JOIN names ON names.id = calls.tool
WHERE files.role = 2;

-- The names of these views in earlier releases.
CREATE TEMP VIEW IF NOT EXISTS said AS SELECT * FROM blocks;
CREATE TEMP VIEW IF NOT EXISTS calls AS SELECT * FROM tool_calls;
CREATE TEMP VIEW IF NOT EXISTS irregular AS SELECT * FROM problems;
