-- The index of one store. A cache: it may be deleted at any time, and is rebuilt from the files.
-- Numbers that stand for words (roles, kinds, states) are spelt out by views.sql.

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
CREATE INDEX files_of_role ON files (role, session, agent, state); -- so that ids are read without the rows
CREATE INDEX files_of_agent ON files (agent, role, state) WHERE agent IS NOT NULL;

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
CREATE INDEX summaries ON facts (file) WHERE kind = 13;
CREATE INDEX agents_at_work ON facts (file) WHERE kind = 19;

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
    indexed   INTEGER NOT NULL,         -- how many of these bytes can be searched for
    parent    BLOB                      -- the line that it continues
);
CREATE INDEX messages_of_file ON messages (file, line);

-- Messages that are gone, and whose words are still to be taken out.
CREATE TABLE forgotten (message INTEGER PRIMARY KEY);

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
CREATE INDEX started_agents ON tool_calls (agent, file) WHERE agent IS NOT NULL;
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
CREATE INDEX responses_of_file ON responses (file, line);

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

-- Sums of charges, so that a report reads few rows: updated with every write to charges.
CREATE TABLE spent (
    file       INTEGER NOT NULL,
    quarter    INTEGER NOT NULL,        -- the least of all numbers where no time is known
    thread     INTEGER NOT NULL,
    model      INTEGER NOT NULL,        -- 0 if there is none
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
    status  TEXT NOT NULL,
    active_form TEXT,
    priority TEXT
);
CREATE INDEX todo_items_of_file ON todo_items (file);

-- Copies of files, made before they were edited; line and offset are those of the first record that names them.
CREATE TABLE file_copies (
    file    INTEGER NOT NULL,
    path    TEXT NOT NULL,
    version INTEGER NOT NULL,           -- below zero: a fingerprint of the content, which the record itself has
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
