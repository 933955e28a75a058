-- The index of one store. A cache: it may be deleted at any time, and is made anew from the files.
-- Numbers that stand for words (roles, kinds, states) are spelt out by the views at the end.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Files of lines, and what was read of each: the cursor.
CREATE TABLE files (
    id       INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE,      -- below the config dir
    role     INTEGER NOT NULL,          -- session, sub-agent, output, history, plan
    slug     TEXT NOT NULL,             -- the project's folder
    session  TEXT NOT NULL,             -- the session that it belongs to
    agent    TEXT,                      -- the sub-agent
    identity INTEGER NOT NULL,          -- device and inode, mixed
    bytes    INTEGER NOT NULL,          -- its size when it was last looked at
    modified INTEGER NOT NULL,          -- its time then
    state    INTEGER NOT NULL,          -- there, gone
    offset   INTEGER NOT NULL,          -- behind the last byte that was read
    lines    INTEGER NOT NULL,          -- how many lines lie before it
    records  INTEGER NOT NULL,          -- how many records
    is_open  INTEGER NOT NULL,          -- whether the last line read had no line break yet
    prefix   INTEGER NOT NULL,          -- fingerprint of its first bytes
    tail     INTEGER NOT NULL           -- fingerprint of the bytes before the offset
);
CREATE INDEX files_of_session ON files (session);

-- Names that many rows share: models, tools.
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- Paths of files that calls are about.
CREATE TABLE paths (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- What lines of a file say about it: how often, first and last on which line.
CREATE TABLE facts (
    file  INTEGER NOT NULL,
    kind  INTEGER NOT NULL,
    value TEXT NOT NULL,
    count INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last  INTEGER NOT NULL,
    PRIMARY KEY (file, kind, value)
) WITHOUT ROWID;

-- What was said: one row a block. Ids grow with time, as far as files are read in the order in which they were written.
CREATE TABLE messages (
    id        INTEGER PRIMARY KEY,
    file      INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    offset    INTEGER NOT NULL,         -- of the line in the file
    length    INTEGER NOT NULL,
    block     INTEGER NOT NULL,         -- which block of the line, counted from 0
    role      INTEGER NOT NULL,
    kind      INTEGER NOT NULL,
    millis    INTEGER,
    uuid      BLOB,
    tool      INTEGER,
    path      INTEGER,                  -- the file that its call is about
    is_error  INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,         -- of its text
    indexed   INTEGER NOT NULL          -- so many of them can be searched for
);
CREATE INDEX messages_of_file ON messages (file, line);

-- The words of messages, newest last; texts themselves stay in the files. Three tables, so that what people said is found
-- without wading through what tools printed.
CREATE VIRTUAL TABLE words_said USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE words_replied USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE words_shown USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
-- Gathered in memory up to so many bytes before they are written: fewer pieces to merge.
INSERT INTO words_replied (words_replied, rank) VALUES ('hashsize', 8388608);
INSERT INTO words_shown (words_shown, rank) VALUES ('hashsize', 33554432);

-- Calls of tools, and their answers.
CREATE TABLE tool_calls (
    id       INTEGER PRIMARY KEY,
    file     INTEGER NOT NULL,
    tool_use TEXT NOT NULL,
    tool     INTEGER,
    called   INTEGER,                   -- line of the call
    answered INTEGER,                   -- line of its result
    started  INTEGER,                   -- milliseconds since 1970
    ended    INTEGER,
    is_error INTEGER NOT NULL,
    path     INTEGER,                   -- the file that it is about
    agent    TEXT,                      -- the sub-agent that it started
    prompt   INTEGER,                   -- fingerprint of what that was asked
    input    INTEGER NOT NULL,          -- bytes
    result   INTEGER NOT NULL           -- bytes
);
CREATE UNIQUE INDEX tool_calls_of_file ON tool_calls (file, tool_use);
CREATE INDEX messages_by_path ON messages (path) WHERE path IS NOT NULL;

-- Responses as each file has them. What was billed is in `charges`.
CREATE TABLE responses (
    key          BLOB NOT NULL,
    file         INTEGER NOT NULL,
    node         INTEGER NOT NULL,      -- which record of the file
    line         INTEGER NOT NULL,
    millis       INTEGER,
    is_copy      INTEGER NOT NULL,
    is_sidechain INTEGER NOT NULL,
    agent        TEXT,
    model        INTEGER,
    tier         INTEGER NOT NULL,
    speed        INTEGER NOT NULL,
    input        INTEGER NOT NULL,
    output       INTEGER NOT NULL,
    cache_read   INTEGER NOT NULL,
    write_5m     INTEGER NOT NULL,
    write_1h     INTEGER NOT NULL,
    searches     INTEGER NOT NULL,
    fetches      INTEGER NOT NULL,
    asides       TEXT,                  -- calls beside it, where there are any
    PRIMARY KEY (key, file)
) WITHOUT ROWID;
CREATE INDEX responses_of_file ON responses (file);

-- Billed model calls of the whole store, each once, in the file where it appeared first.
CREATE TABLE charges (
    key        BLOB NOT NULL,
    part       INTEGER NOT NULL,        -- 0 the response itself, then what was called beside it
    file       INTEGER NOT NULL,
    quarter    INTEGER,                 -- quarters of an hour since 1970, UTC
    thread     INTEGER NOT NULL,        -- 0 the conversation, -1 a sub-agent among its lines, else the sub-agent's name
    model      INTEGER,
    certainty  INTEGER NOT NULL,        -- priced, derived, without a price
    millis     INTEGER,
    input      INTEGER NOT NULL,
    output     INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    write_5m   INTEGER NOT NULL,
    write_1h   INTEGER NOT NULL,
    searches   INTEGER NOT NULL,
    fetches    INTEGER NOT NULL,
    nanos      INTEGER NOT NULL,        -- cost in billionths of a dollar,
    femtos     INTEGER NOT NULL,        -- and what is left of it in millionths of those
    bare_nanos  INTEGER NOT NULL,       -- the same, had there been no cache
    bare_femtos INTEGER NOT NULL,
    PRIMARY KEY (key, part)
) WITHOUT ROWID;
CREATE INDEX charges_of_file ON charges (file, quarter);

-- Sums of charges, so that a report reads few rows: kept in step by whoever writes charges.
CREATE TABLE spent (
    file       INTEGER NOT NULL,
    quarter    INTEGER NOT NULL,        -- -1 where no time is known
    thread     INTEGER NOT NULL,
    model      INTEGER NOT NULL,        -- 0 where none is named
    certainty  INTEGER NOT NULL,
    first      INTEGER,                 -- milliseconds since 1970
    last       INTEGER,
    responses  INTEGER NOT NULL,
    input      INTEGER NOT NULL,
    output     INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    write_5m   INTEGER NOT NULL,
    write_1h   INTEGER NOT NULL,
    searches   INTEGER NOT NULL,
    fetches    INTEGER NOT NULL,
    nanos      INTEGER NOT NULL,
    femtos     INTEGER NOT NULL,
    bare_nanos  INTEGER NOT NULL,
    bare_femtos INTEGER NOT NULL,
    PRIMARY KEY (file, quarter, thread, model, certainty)
) WITHOUT ROWID;

-- What is to be done, as todo lists and task files have it.
CREATE TABLE todo_items (
    file    INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    offset  INTEGER NOT NULL,
    length  INTEGER NOT NULL,
    number  TEXT,
    content TEXT NOT NULL,
    status  TEXT NOT NULL
);
CREATE INDEX todo_items_of_file ON todo_items (file);

-- Copies of files, made before they were edited; line and offset are those of the first record that names them.
CREATE TABLE file_copies (
    file    INTEGER NOT NULL,
    path    TEXT NOT NULL,
    version INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    offset  INTEGER NOT NULL,
    length  INTEGER NOT NULL,
    copy    TEXT,                       -- its name under `file-history/<session>/`; null where there was no file
    time    TEXT,
    PRIMARY KEY (file, path, version)
) WITHOUT ROWID;

-- Prompts of all sessions, as the history has them.
CREATE TABLE asked (
    file    INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    offset  INTEGER NOT NULL,
    length  INTEGER NOT NULL,
    millis  INTEGER,
    project TEXT NOT NULL,
    session TEXT NOT NULL,
    words   TEXT NOT NULL,
    PRIMARY KEY (file, line)
) WITHOUT ROWID;

-- What is irregular about lines.
CREATE TABLE problems (
    file   INTEGER NOT NULL,
    line   INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    kind   TEXT NOT NULL
);
CREATE INDEX problems_of_file ON problems (file);

-- What people ask (`annals sql`): one row a thing, words instead of numbers. Times are milliseconds since 1970, UTC.

CREATE VIEW sessions AS
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
    (SELECT value FROM facts WHERE file = files.id AND kind = 14) AS created,
    (SELECT CAST(value AS INTEGER) FROM facts WHERE file = files.id AND kind = 15) AS active,
    (SELECT count(*) FROM files AS agents WHERE agents.session = files.session AND agents.role = 1) AS sub_agents,
    (SELECT sum(nanos) / 1e9 FROM spent JOIN files AS theirs ON theirs.id = spent.file
        WHERE theirs.session = files.session) AS cost_usd,
    files.records, files.lines, files.bytes, files.path AS file,
    iif(files.state = 0, 'there', 'gone') AS state
FROM files WHERE files.role = 0;

CREATE VIEW threads AS
SELECT
    files.session AS session,
    files.agent AS agent,
    iif(files.role = 0, 'main', 'sub-agent') AS kind,
    (SELECT value FROM files AS metas JOIN facts ON facts.file = metas.id AND facts.kind = 18
        WHERE metas.session = files.session AND metas.agent = files.agent AND metas.role = 7 LIMIT 1) AS agent_type,
    -- By the call's result, by what is kept beside the sub-agent, by where it was seen at work, or by what it was asked.
    iif(files.role = 1, coalesce(
        (SELECT tool_use FROM files AS parents JOIN tool_calls AS calls ON calls.file = parents.id
            WHERE parents.session = files.session AND calls.agent = files.agent LIMIT 1),
        (SELECT value FROM files AS metas JOIN facts ON facts.file = metas.id AND facts.kind = 17
            WHERE metas.session = files.session AND metas.agent = files.agent AND metas.role = 7 LIMIT 1),
        (SELECT substr(value, length(files.agent) + 2) FROM files AS parents JOIN facts ON facts.file = parents.id
            WHERE parents.session = files.session AND facts.kind = 19
                AND substr(value, 1, length(files.agent) + 1) = files.agent || char(9) LIMIT 1),
        (SELECT tool_use FROM files AS parents JOIN tool_calls AS calls ON calls.file = parents.id
            WHERE parents.session = files.session AND calls.agent IS NULL AND calls.prompt =
                (SELECT CAST(value AS INTEGER) FROM facts WHERE facts.file = files.id AND facts.kind = 16)
            ORDER BY started LIMIT 1)
    ), NULL) AS spawned_by,
    files.records, files.bytes, files.path AS file
FROM files WHERE files.role IN (0, 1);

CREATE VIEW projects AS
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
    (SELECT sum(nanos) / 1e9 FROM spent JOIN files AS theirs ON theirs.id = spent.file WHERE theirs.slug = files.slug)
        AS cost_usd
FROM files WHERE role IN (0, 1) GROUP BY slug;

CREATE VIEW todos AS
SELECT
    files.session AS session, files.agent AS agent, files.slug AS project,
    iif(files.role = 5, 'todo', 'task') AS kind, number, content, status,
    files.path AS file, line, todo_items.offset AS offset, length
FROM todo_items JOIN files ON files.id = todo_items.file;

CREATE VIEW file_versions AS
SELECT
    files.session AS session, files.slug AS project, file_copies.path AS path, version, time,
    'file-history/' || files.session || '/' || copy AS copy,
    files.path AS file, line, file_copies.offset AS offset, length
FROM file_copies JOIN files ON files.id = file_copies.file;

CREATE VIEW prompts AS
SELECT
    asked.millis, asked.project AS cwd, nullif(asked.session, '') AS session, words, files.path AS file, line,
    asked.offset AS offset, length
FROM asked JOIN files ON files.id = asked.file;

CREATE VIEW plans AS
SELECT
    replace(replace(files.path, 'plans/', ''), '.md', '') AS name,
    named.session AS session, named.slug AS project, files.bytes, files.modified / 1000000 AS modified, files.path AS file
FROM files
LEFT JOIN facts ON facts.kind = 5 AND facts.value = replace(replace(files.path, 'plans/', ''), '.md', '')
LEFT JOIN files AS named ON named.id = facts.file AND named.role = 0
WHERE files.role = 4;

CREATE VIEW pull_requests AS
SELECT
    files.session AS session, files.slug AS project,
    CAST(substr(value, 1, instr(value, char(9)) - 1) AS INTEGER) AS number,
    substr(value, instr(value, char(9)) + 1,
        instr(substr(value, instr(value, char(9)) + 1), char(9)) - 1) AS repository,
    substr(value, instr(value, char(9)) + 1 + instr(substr(value, instr(value, char(9)) + 1), char(9))) AS url,
    files.path AS file, first AS line
FROM facts JOIN files ON files.id = facts.file WHERE kind = 6;

CREATE VIEW irregular AS
SELECT files.session AS session, files.agent AS agent, files.slug AS project, kind, files.path AS file, line,
    problems.offset AS offset, length
FROM problems JOIN files ON files.id = problems.file;

CREATE VIEW said AS
SELECT
    messages.id, files.session AS session, files.agent AS agent, files.slug AS project,
    CASE messages.role WHEN 0 THEN 'human' WHEN 1 THEN 'assistant' WHEN 2 THEN 'tool' ELSE 'system' END AS role,
    CASE kind WHEN 0 THEN 'prompt' WHEN 1 THEN 'response' WHEN 2 THEN 'thinking' WHEN 3 THEN 'tool_call'
        WHEN 4 THEN 'tool_result' WHEN 5 THEN 'context' WHEN 6 THEN 'error' WHEN 7 THEN 'title' ELSE 'plan' END AS kind,
    names.name AS tool, messages.is_error, messages.millis, messages.bytes,
    files.path AS file, messages.line, messages.offset, messages.length, messages.block
FROM messages JOIN files ON files.id = messages.file LEFT JOIN names ON names.id = messages.tool;

CREATE VIEW calls AS
SELECT
    tool_calls.id, files.session AS session, files.agent AS agent, files.slug AS project, tool_use, names.name AS tool,
    called AS line, answered AS result_line, started, ended, ended - started AS duration_ms, tool_calls.is_error,
    paths.name AS path, tool_calls.agent AS started_agent, input AS input_bytes, result AS result_bytes,
    files.path AS file,
    (SELECT messages.offset FROM messages WHERE messages.file = files.id AND messages.line = called LIMIT 1) AS offset
FROM tool_calls JOIN files ON files.id = tool_calls.file LEFT JOIN names ON names.id = tool_calls.tool
    LEFT JOIN paths ON paths.id = tool_calls.path;

CREATE VIEW usage AS
SELECT
    files.session AS session, files.agent AS agent, files.slug AS project, names.name AS model,
    charges.millis, input, output, cache_read, write_5m AS cache_write_5m,
    write_1h AS cache_write_1h, searches AS web_searches, nanos / 1e9 AS cost_usd,
    CASE certainty WHEN 0 THEN 'table' WHEN 1 THEN 'derived' ELSE 'unpriced' END AS priced_by, files.path AS file,
    (SELECT line FROM responses WHERE responses.key = charges.key AND responses.file = charges.file) AS line,
    (SELECT messages.offset FROM responses JOIN messages ON messages.file = responses.file AND messages.line = responses.line
        WHERE responses.key = charges.key AND responses.file = charges.file LIMIT 1) AS offset
FROM charges JOIN files ON files.id = charges.file LEFT JOIN names ON names.id = charges.model;
