-- The views of `annals sql --at`: those of the local `annals sql` with their columns, and `machine` and `person`. They run with the
-- rights of the login that asks. What the tables have no data for is listed in views.rs.
-- Names of parts begin with an underscore, which no database does: a part that is called like the database would hide it.
-- The first four are not for people.
CREATE OR REPLACE VIEW {db}.people AS
SELECT tenant, machine, argMax(machines.person, version) AS person, argMax(machines.team, version) AS team
FROM {db}.machines GROUP BY tenant, machine;

-- Sub-agents and todo lists are in the project of their session: of copies of that, the one that they lie beside.
CREATE OR REPLACE VIEW {db}.newest_files AS
SELECT _files.tenant AS tenant, _files.machine AS machine, _files.store AS store, _files.file AS file, _files.generation AS generation,
    _files.role AS role, if(_files.role NOT IN ('agent', 'todos', 'task') OR empty(_sessions.projects) OR has(_sessions.projects, _files.folder), _files.folder,
        arrayMin(_sessions.projects)) AS project,
    _files.session AS session, _files.agent AS agent, _files.bytes AS bytes, _files.lines AS lines, _files.active AS active,
    _files.state AS state
FROM (
    SELECT tenant, machine, store, file, maxIf(files.generation, files.state = 'there') AS generation, toString(any(files.role)) AS role,
        toString(any(files.project)) AS folder, argMinIf(files.session, (files.generation, files.version), files.session != '') AS session,
        any(files.agent) AS agent, argMaxIf(files.reached, (files.generation, files.reached), files.state = 'there') AS bytes,
        argMaxIf(files.lines, (files.generation, files.reached), files.state = 'there') AS lines,
        argMaxIf(files.active, (files.generation, files.reached), files.state = 'there') AS active,
        if(argMax(files.state, files.generation) = 'gone', 'gone', 'there') AS state
    FROM {db}.files GROUP BY tenant, machine, store, file HAVING generation != 0) AS _files
LEFT JOIN (
    SELECT tenant, machine, store, session, groupUniqArray(toString(files.project)) AS projects FROM {db}.files
    WHERE role = 'session' AND session != '' GROUP BY tenant, machine, store, session) AS _sessions
    ON _sessions.tenant = _files.tenant AND _sessions.machine = _files.machine AND _sessions.store = _files.store
        AND _sessions.session = _files.session;

-- What the lines of a conversation state, for each working directory. FINAL, because a set of all lines would not fit into memory.
CREATE OR REPLACE VIEW {db}.working_directories AS
SELECT tenant, machine, store, file, generation, cwd, count() AS times, min(lines.line) AS first_line,
    argMaxIf(lines.branch, lines.line, lines.branch != '') AS branch, maxIf(lines.line, lines.branch != '') AS branch_line,
    max(lines.millis) AS newest, argMinIf(lines.millis, lines.line, lines.millis IS NOT NULL) AS oldest,
    minIf(lines.line, lines.millis IS NOT NULL) AS oldest_line
FROM {db}.lines FINAL WHERE role IN ('session', 'agent') AND form = 'line'
GROUP BY tenant, machine, store, file, generation, cwd;

-- Model calls, each once, where it was first: the rules of usage. Those beside a response have a row of their own.
CREATE OR REPLACE VIEW {db}.charges AS
WITH _per_file AS (
    SELECT tenant, key, machine, store, file, generation, any(responses.file_role) AS role,
        argMin(responses.is_copy, responses.line) AS copied, min(responses.line) AS first_line,
        if(countIf(responses.millis IS NOT NULL) = 0, NULL,
            argMinIf(assumeNotNull(responses.millis), responses.line, responses.millis IS NOT NULL)) AS at,
        argMax((responses.model, responses.certainty, responses.input, responses.output, responses.cache_read, responses.write_5m,
            responses.write_1h, responses.searches, responses.fetches, responses.cost, responses.tier, responses.speed,
            responses.side_calls), (responses.output, responses.line)) AS reading
    FROM {db}.responses GROUP BY tenant, key, machine, store, file, generation),
_counted_once AS (
    SELECT tenant, key,
        argMin((machine, store, file, generation, at, first_line), (isNull(at), ifNull(at, 0), copied, role != 'session', machine, store,
            replaceAll(file, '/', '\0'), generation, first_line)) AS place,
        argMax(reading, (reading.4, reading.3, reading.5, reading.7, reading.6, reading.8, reading.9, reading.1, reading.11, reading.12,
            reading.13)) AS most
    FROM _per_file GROUP BY tenant, key)
SELECT tenant, place.1 AS machine, place.2 AS store, place.3 AS file, place.5 AS millis, place.6 AS line, _call.1 AS model,
    _call.2 AS certainty, _call.3 AS input, _call.4 AS output, _call.5 AS cache_read, _call.6 AS write_5m, _call.7 AS write_1h,
    _call.8 AS searches, _call.9 AS cost
FROM _counted_once
ARRAY JOIN arrayConcat(
    [(toString(most.1), most.2, most.3, most.4, most.5, most.6, most.7, most.8, most.10)],
    arrayMap(_side -> (_side.1, _side.2, _side.3, _side.4, _side.5, _side.6, _side.7, _side.8, _side.10), most.13)) AS _call;

CREATE OR REPLACE VIEW {db}.usage AS
SELECT _newest.session AS session, nullIf(_newest.agent, '') AS agent, _newest.project AS project, nullIf(_charges.model, '') AS model,
    _charges.millis AS millis, _charges.input AS input, _charges.output AS output, _charges.cache_read AS cache_read,
    _charges.write_5m AS cache_write_5m, _charges.write_1h AS cache_write_1h, _charges.searches AS web_searches,
    toFloat64(_charges.cost) / 1e15 AS cost_usd, ['table', 'derived', 'unpriced'][_charges.certainty + 1] AS priced_by,
    _charges.file AS file, _charges.line AS line, _charges.machine AS machine, _owner.person AS person, _charges.tenant AS tenant
FROM {db}.charges AS _charges
LEFT JOIN {db}.newest_files AS _newest
    ON _newest.tenant = _charges.tenant AND _newest.machine = _charges.machine AND _newest.store = _charges.store AND _newest.file = _charges.file
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _charges.tenant AND _owner.machine = _charges.machine;

CREATE OR REPLACE VIEW {db}.sessions AS
SELECT _newest.session AS id, _newest.project AS project, nullIf(_stated.cwd, '') AS cwd, nullIf(_stated.git_branch, '') AS git_branch,
    if(_models.model = '', NULL, concat('anthropic:', _models.model)) AS backing_model_id,
    coalesce(nullIf(_titles.custom_title, ''), nullIf(_titles.ai_title, ''), nullIf(_titles.last_prompt, ''), nullIf(_titles.first_prompt, ''),
        nullIf(_titles.first_command, '')) AS title,
    nullIf(_titles.tag, '') AS tag,
    concat(replaceOne(toString(fromUnixTimestamp64Milli(_stated.created, 'UTC')), ' ', 'T'), 'Z') AS created, _stated.active AS active,
    _agents.sub_agents AS sub_agents, _costs.cost_usd AS cost_usd, _stated.records AS records, _newest.lines AS lines, _newest.bytes AS bytes,
    _newest.file AS file, _newest.state AS state, _newest.machine AS machine, _owner.person AS person, _newest.tenant AS tenant
FROM (SELECT * FROM {db}.newest_files WHERE role = 'session') AS _newest
LEFT JOIN (
    SELECT tenant, machine, store, file, generation, sum(_stated.times) AS records, max(_stated.newest) AS active,
        argMinIf(_stated.oldest, _stated.oldest_line, _stated.oldest IS NOT NULL) AS created,
        argMaxIf(_stated.branch, _stated.branch_line, _stated.branch_line > 0) AS git_branch,
        argMaxIf(_stated.cwd, (_stated.times, -toInt64(_stated.first_line)), _stated.cwd != '') AS cwd
    FROM {db}.working_directories AS _stated GROUP BY tenant, machine, store, file, generation) AS _stated
    ON _stated.tenant = _newest.tenant AND _stated.machine = _newest.machine AND _stated.store = _newest.store AND _stated.file = _newest.file
        AND _stated.generation = _newest.generation
LEFT JOIN (
    SELECT tenant, machine, store, file, generation, argMaxIf(value, line, kind = 'custom_title') AS custom_title,
        argMaxIf(value, line, kind = 'ai_title') AS ai_title, argMaxIf(value, line, kind = 'last_prompt') AS last_prompt,
        argMinIf(value, line, kind = 'first_prompt') AS first_prompt, argMinIf(value, line, kind = 'first_command') AS first_command,
        argMaxIf(value, line, kind = 'tag') AS tag
    FROM {db}.facts GROUP BY tenant, machine, store, file, generation) AS _titles
    ON _titles.tenant = _newest.tenant AND _titles.machine = _newest.machine AND _titles.store = _newest.store AND _titles.file = _newest.file
        AND _titles.generation = _newest.generation
LEFT JOIN (
    SELECT tenant, machine, store, file, generation,
        toString(argMaxIf(responses.model, responses.line, responses.model NOT IN ('', '<synthetic>'))) AS model
    FROM {db}.responses WHERE file_role = 'session' GROUP BY tenant, machine, store, file, generation) AS _models
    ON _models.tenant = _newest.tenant AND _models.machine = _newest.machine AND _models.store = _newest.store AND _models.file = _newest.file
        AND _models.generation = _newest.generation
LEFT JOIN (
    SELECT tenant, machine, store, session, count() AS sub_agents FROM {db}.newest_files WHERE role = 'agent'
    GROUP BY tenant, machine, store, session) AS _agents
    ON _agents.tenant = _newest.tenant AND _agents.machine = _newest.machine AND _agents.store = _newest.store AND _agents.session = _newest.session
LEFT JOIN (
    SELECT _theirs.tenant AS tenant, _theirs.machine AS machine, _theirs.store AS store, _theirs.session AS session,
        toNullable(toFloat64(sum(_charges.cost)) / 1e15) AS cost_usd
    FROM {db}.charges AS _charges
    INNER JOIN {db}.newest_files AS _theirs ON _theirs.tenant = _charges.tenant AND _theirs.machine = _charges.machine
        AND _theirs.store = _charges.store AND _theirs.file = _charges.file
    GROUP BY _theirs.tenant, _theirs.machine, _theirs.store, _theirs.session) AS _costs
    ON _costs.tenant = _newest.tenant AND _costs.machine = _newest.machine AND _costs.store = _newest.store AND _costs.session = _newest.session
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _newest.tenant AND _owner.machine = _newest.machine;

-- Who started a sub-agent is known by the result of the call, by the sub-agent's meta file, or by a progress record.
CREATE OR REPLACE VIEW {db}.threads AS
SELECT _threads.session AS session, nullIf(_threads.agent, '') AS agent, if(_threads.role = 'session', 'main', 'sub-agent') AS kind,
    nullIf(_metas.agent_type, '') AS agent_type, nullIf(_threads.started_by, '') AS spawned_by, nullIf(_calls.uuid, '') AS spawned_by_uuid,
    _threads.records AS records, _threads.bytes AS bytes, _threads.file AS file, _threads.machine AS machine, _owner.person AS person,
    _threads.tenant AS tenant
FROM (
    SELECT _newest.tenant AS tenant, _newest.machine AS machine, _newest.store AS store, _newest.session AS session, _newest.agent AS agent,
        _newest.role AS role, _newest.bytes AS bytes, _newest.file AS file, _lines.records AS records,
        if(_newest.agent = '', '', coalesce(nullIf(_results.call, ''), nullIf(_spawned.call, ''), nullIf(_progress.call, ''), '')) AS started_by
    FROM (SELECT * FROM {db}.newest_files WHERE role IN ('session', 'agent')) AS _newest
    LEFT JOIN (
        SELECT tenant, machine, store, file, generation, sum(_stated.times) AS records FROM {db}.working_directories AS _stated
        GROUP BY tenant, machine, store, file, generation) AS _lines
        ON _lines.tenant = _newest.tenant AND _lines.machine = _newest.machine AND _lines.store = _newest.store
            AND _lines.file = _newest.file AND _lines.generation = _newest.generation
    LEFT JOIN (
        SELECT tenant, machine, store, session, started_agent, min(calls.call) AS call FROM {db}.calls
        WHERE half = 'result' AND started_agent != '' GROUP BY tenant, machine, store, session, started_agent) AS _results
        ON _results.tenant = _newest.tenant AND _results.machine = _newest.machine AND _results.store = _newest.store
            AND _results.session = _newest.session AND _results.started_agent = _newest.agent
    LEFT JOIN (
        SELECT _facts.tenant AS tenant, _facts.machine AS machine, _facts.store AS store, _files.session AS session, _files.agent AS agent,
            any(_facts.value) AS call
        FROM (SELECT * FROM {db}.facts WHERE kind = 'spawned_by') AS _facts
        INNER JOIN (SELECT * FROM {db}.newest_files WHERE role = 'agent_meta') AS _files
            ON _files.tenant = _facts.tenant AND _files.machine = _facts.machine AND _files.store = _facts.store
                AND _files.file = _facts.file AND _files.generation = _facts.generation
        GROUP BY _facts.tenant, _facts.machine, _facts.store, _files.session, _files.agent) AS _spawned
        ON _spawned.tenant = _newest.tenant AND _spawned.machine = _newest.machine AND _spawned.store = _newest.store
            AND _spawned.session = _newest.session AND _spawned.agent = _newest.agent
    LEFT JOIN (
        SELECT tenant, machine, store, session, splitByChar('\t', value)[1] AS agent, min(splitByChar('\t', value)[2]) AS call
        FROM {db}.facts WHERE kind = 'at_work' GROUP BY tenant, machine, store, session, agent) AS _progress
        ON _progress.tenant = _newest.tenant AND _progress.machine = _newest.machine AND _progress.store = _newest.store
            AND _progress.session = _newest.session AND _progress.agent = _newest.agent) AS _threads
LEFT JOIN (
    SELECT _facts.tenant AS tenant, _facts.machine AS machine, _facts.store AS store, _files.session AS session, _files.agent AS agent,
        any(_facts.value) AS agent_type
    FROM (SELECT * FROM {db}.facts WHERE kind = 'agent_type') AS _facts
    INNER JOIN (SELECT * FROM {db}.newest_files WHERE role = 'agent_meta') AS _files
        ON _files.tenant = _facts.tenant AND _files.machine = _facts.machine AND _files.store = _facts.store
            AND _files.file = _facts.file AND _files.generation = _facts.generation
    GROUP BY _facts.tenant, _facts.machine, _facts.store, _files.session, _files.agent) AS _metas
    ON _metas.tenant = _threads.tenant AND _metas.machine = _threads.machine AND _metas.store = _threads.store
        AND _metas.session = _threads.session AND _metas.agent = _threads.agent
LEFT JOIN (
    SELECT tenant, machine, store, session, call, any(messages.uuid) AS uuid FROM {db}.messages
    WHERE kind = 'tool_call' AND call IN (
        SELECT call FROM {db}.calls WHERE started_agent != ''
        UNION ALL SELECT value FROM {db}.facts WHERE kind = 'spawned_by'
        UNION ALL SELECT splitByChar('\t', value)[2] FROM {db}.facts WHERE kind = 'at_work')
    GROUP BY tenant, machine, store, session, call) AS _calls
    ON _calls.tenant = _threads.tenant AND _calls.machine = _threads.machine AND _calls.store = _threads.store
        AND _calls.session = _threads.session AND _calls.call = _threads.started_by
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _threads.tenant AND _owner.machine = _threads.machine;

CREATE OR REPLACE VIEW {db}.projects AS
SELECT _sums.project AS project, nullIf(_named.cwd, '') AS cwd, _sums.sessions AS sessions, _sums.sub_agents AS sub_agents,
    _sums.bytes AS bytes, _named.active AS active, _costs.cost_usd AS cost_usd, _sums.machine AS machine, _owner.person AS person,
    _sums.tenant AS tenant
FROM (
    SELECT tenant, machine, project, countIf(_files.role = 'session') AS sessions, countIf(_files.role = 'agent') AS sub_agents,
        sum(_files.bytes) AS bytes
    FROM {db}.newest_files AS _files WHERE role IN ('session', 'agent') GROUP BY tenant, machine, project) AS _sums
LEFT JOIN (
    SELECT tenant, machine, project, max(_by_folder.newest) AS active,
        argMaxIf(_by_folder.cwd, (_by_folder.times, -toInt64(_by_folder.first_line)), _by_folder.cwd != '') AS cwd
    FROM (
        SELECT _files.tenant AS tenant, _files.machine AS machine, _files.project AS project, _stated.cwd AS cwd,
            sum(_stated.times) AS times, min(_stated.first_line) AS first_line, max(_stated.newest) AS newest
        FROM {db}.working_directories AS _stated
        INNER JOIN (SELECT * FROM {db}.newest_files WHERE role = 'session') AS _files
            ON _files.tenant = _stated.tenant AND _files.machine = _stated.machine AND _files.store = _stated.store
                AND _files.file = _stated.file AND _files.generation = _stated.generation
        GROUP BY _files.tenant, _files.machine, _files.project, _stated.cwd) AS _by_folder
    GROUP BY tenant, machine, project) AS _named
    ON _named.tenant = _sums.tenant AND _named.machine = _sums.machine AND _named.project = _sums.project
LEFT JOIN (
    SELECT tenant, machine, project, toNullable(sum(_usage.cost_usd)) AS cost_usd FROM {db}.usage AS _usage
    GROUP BY tenant, machine, project) AS _costs
    ON _costs.tenant = _sums.tenant AND _costs.machine = _sums.machine AND _costs.project = _sums.project
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _sums.tenant AND _owner.machine = _sums.machine;

CREATE OR REPLACE VIEW {db}.blocks AS
SELECT toInt64(intDiv(cityHash64(_messages.tenant, _messages.machine, _messages.store, _messages.file, _messages.generation,
        _messages.offset, _messages.block), 2)) AS id,
    _newest.session AS session, nullIf(_newest.agent, '') AS agent, _newest.project AS project, _messages.role AS role,
    _messages.kind AS kind, nullIf(_messages.tool, '') AS tool, _messages.is_error AS is_error, _messages.millis AS millis,
    _messages.bytes AS bytes, _messages.file AS file, _messages.line AS line, _messages.offset AS offset, _messages.length AS length,
    _messages.block AS block, nullIf(_messages.uuid, '') AS uuid, _messages.machine AS machine, _owner.person AS person,
    _messages.tenant AS tenant
FROM (SELECT DISTINCT * EXCEPT (words, form) FROM {db}.messages) AS _messages
INNER JOIN {db}.newest_files AS _newest
    ON _newest.tenant = _messages.tenant AND _newest.machine = _messages.machine AND _newest.store = _messages.store
        AND _newest.file = _messages.file AND _newest.generation = _messages.generation
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _messages.tenant AND _owner.machine = _messages.machine;

-- Calls, and the messages that they are in: a call and its result are rows, and so are their blocks.
CREATE OR REPLACE VIEW {db}.tool_calls AS
SELECT toInt64(intDiv(cityHash64(_calls.tenant, _calls.machine, _calls.store, _calls.file, _calls.tool_use), 2)) AS id,
    _newest.session AS session, nullIf(_newest.agent, '') AS agent, _newest.project AS project, _calls.tool_use AS tool_use,
    nullIf(_calls.tool, '') AS tool, _calls.line AS line, _calls.result_line AS result_line, _calls.started AS started, _calls.ended AS ended,
    _calls.ended - _calls.started AS duration_ms, _calls.is_error AS is_error, nullIf(_calls.path, '') AS path,
    nullIf(_calls.started_agent, '') AS started_agent, _calls.input_bytes AS input_bytes, _calls.result_bytes AS result_bytes,
    _calls.file AS file, _calls.offset AS offset, nullIf(_calls.uuid, '') AS uuid, nullIf(_calls.result_uuid, '') AS result_uuid,
    _calls.machine AS machine, _owner.person AS person, _calls.tenant AS tenant
FROM (
    SELECT tenant, machine, store, file, call AS tool_use,
        argMaxIf(_rows.tool, _rows.line, _rows.what = 'call') AS tool, maxIf(toNullable(_rows.line), _rows.what = 'call') AS line,
        minIf(toNullable(_rows.line), _rows.what = 'result') AS result_line,
        maxIf(_rows.millis, _rows.what = 'call') AS started, argMinIf(_rows.millis, _rows.line, _rows.what = 'result') AS ended,
        argMinIf(_rows.is_error, _rows.line, _rows.what = 'result') AS is_error,
        argMaxIf(_rows.path, _rows.line, _rows.what = 'call') AS path,
        argMinIf(_rows.started_agent, _rows.line, _rows.what = 'result') AS started_agent,
        maxIf(_rows.bytes, _rows.what = 'call') AS input_bytes,
        argMinIf(_rows.bytes, _rows.line, _rows.what = 'result') AS result_bytes,
        maxIf(toNullable(_rows.offset), _rows.what = 'tool_call') AS offset,
        argMaxIf(_rows.uuid, _rows.line, _rows.what = 'tool_call') AS uuid,
        argMinIf(_rows.uuid, _rows.line, _rows.what = 'tool_result') AS result_uuid
    FROM (
        SELECT tenant, machine, store, file, generation, call, toString(half) AS what, line, toString(tool) AS tool, path,
            millis, is_error, bytes, started_agent, 0 AS offset, '' AS uuid
        FROM {db}.calls
        UNION ALL
        SELECT tenant, machine, store, file, generation, call, toString(kind) AS what, line, '' AS tool, '' AS path,
            NULL AS millis, false AS is_error, 0 AS bytes, '' AS started_agent, offset, uuid
        FROM {db}.messages WHERE call != '') AS _rows
    WHERE (tenant, machine, store, file, generation) IN (SELECT tenant, machine, store, file, generation FROM {db}.newest_files)
    GROUP BY tenant, machine, store, file, call HAVING countIf(_rows.what IN ('call', 'result')) > 0) AS _calls
LEFT JOIN {db}.newest_files AS _newest
    ON _newest.tenant = _calls.tenant AND _newest.machine = _calls.machine AND _newest.store = _calls.store AND _newest.file = _calls.file
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _calls.tenant AND _owner.machine = _calls.machine;

CREATE OR REPLACE VIEW {db}.plans AS
SELECT replaceOne(replaceOne(_newest.file, 'plans/', ''), '.md', '') AS name, _newest.bytes AS bytes, _newest.active AS modified,
    _newest.file AS file, _newest.machine AS machine, _owner.person AS person, _newest.tenant AS tenant
FROM (SELECT * FROM {db}.newest_files WHERE role = 'plan') AS _newest
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _newest.tenant AND _owner.machine = _newest.machine;

CREATE OR REPLACE VIEW {db}.pull_requests AS
SELECT _newest.session AS session, _newest.project AS project, toInt64OrZero(splitByChar('\t', _facts.value)[1]) AS number,
    splitByChar('\t', _facts.value)[2] AS repository, splitByChar('\t', _facts.value)[3] AS url, _facts.file AS file, _facts.line AS line,
    _facts.machine AS machine, _owner.person AS person, _facts.tenant AS tenant
FROM (
    SELECT tenant, machine, store, file, generation, value, min(facts.line) AS line FROM {db}.facts WHERE kind = 'pull_request'
    GROUP BY tenant, machine, store, file, generation, value) AS _facts
INNER JOIN {db}.newest_files AS _newest
    ON _newest.tenant = _facts.tenant AND _newest.machine = _facts.machine AND _newest.store = _facts.store AND _newest.file = _facts.file
        AND _newest.generation = _facts.generation
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _facts.tenant AND _owner.machine = _facts.machine;

-- Files that hold the whole of an output, and the calls that they belong to.
CREATE OR REPLACE VIEW {db}.outputs AS
SELECT _files.session AS session, nullIf(_theirs.agent, '') AS agent, _files.project AS project, nullIf(_theirs.call, '') AS tool_use,
    nullIf(_calls.tool, '') AS tool, _files.bytes AS bytes, _files.file AS file, nullIf(_results.uuid, '') AS result_uuid,
    _files.machine AS machine, _owner.person AS person, _files.tenant AS tenant
FROM (SELECT *, arrayElement(splitByChar('/', file), -1) AS name FROM {db}.newest_files WHERE role = 'output') AS _files
LEFT JOIN (
    SELECT _facts.tenant AS tenant, _facts.machine AS machine, _facts.store AS store, _owners.session AS session, _owners.agent AS agent,
        _facts.file AS file, splitByChar('\t', _facts.value)[1] AS name, splitByChar('\t', _facts.value)[2] AS call
    FROM (SELECT DISTINCT tenant, machine, store, file, generation, value FROM {db}.facts WHERE kind = 'output') AS _facts
    INNER JOIN {db}.newest_files AS _owners
        ON _owners.tenant = _facts.tenant AND _owners.machine = _facts.machine AND _owners.store = _facts.store
            AND _owners.file = _facts.file AND _owners.generation = _facts.generation) AS _theirs
    ON _theirs.tenant = _files.tenant AND _theirs.machine = _files.machine AND _theirs.store = _files.store
        AND _theirs.session = _files.session AND _theirs.name = _files.name
LEFT JOIN (
    SELECT tenant, machine, store, file, call, any(calls.tool) AS tool FROM {db}.calls
    WHERE half = 'call' AND call IN (SELECT splitByChar('\t', value)[2] FROM {db}.facts WHERE kind = 'output')
    GROUP BY tenant, machine, store, file, call) AS _calls
    ON _calls.tenant = _theirs.tenant AND _calls.machine = _theirs.machine AND _calls.store = _theirs.store
        AND _calls.file = _theirs.file AND _calls.call = _theirs.call
LEFT JOIN (
    SELECT tenant, machine, store, file, call, any(messages.uuid) AS uuid FROM {db}.messages
    WHERE kind = 'tool_result' AND call IN (SELECT splitByChar('\t', value)[2] FROM {db}.facts WHERE kind = 'output')
    GROUP BY tenant, machine, store, file, call) AS _results
    ON _results.tenant = _theirs.tenant AND _results.machine = _theirs.machine AND _results.store = _theirs.store
        AND _results.file = _theirs.file AND _results.call = _theirs.call
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _files.tenant AND _owner.machine = _files.machine;

-- As lists are now. Offsets are those of what was redacted, and left out.
CREATE OR REPLACE VIEW {db}.todos AS
SELECT _newest.session AS session, nullIf(_newest.agent, '') AS agent, _newest.project AS project,
    if(_newest.role = 'todos', 'todo', 'task') AS kind, nullIf(JSONExtractString(_facts.value, 'number'), '') AS number,
    JSONExtractString(_facts.value, 'content') AS content, JSONExtractString(_facts.value, 'status') AS status,
    nullIf(JSONExtractString(_facts.value, 'active_form'), '') AS active_form,
    nullIf(JSONExtractString(_facts.value, 'priority'), '') AS priority, _facts.file AS file, 1 AS line,
    _facts.machine AS machine, _owner.person AS person, _facts.tenant AS tenant
FROM (SELECT DISTINCT tenant, machine, store, file, generation, value FROM {db}.facts WHERE kind = 'todo_item') AS _facts
INNER JOIN {db}.newest_files AS _newest
    ON _newest.tenant = _facts.tenant AND _newest.machine = _facts.machine AND _newest.store = _facts.store AND _newest.file = _facts.file
        AND _newest.generation = _facts.generation
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _facts.tenant AND _owner.machine = _facts.machine;

CREATE OR REPLACE VIEW {db}.prompts AS
SELECT JSONExtract(_facts.value, 'millis', 'Nullable(Int64)') AS millis, JSONExtractString(_facts.value, 'cwd') AS cwd,
    nullIf(_facts.session, '') AS session, JSONExtractString(_facts.value, 'words') AS words, _facts.file AS file, _facts.line AS line,
    JSONExtractUInt(_facts.value, 'offset') AS offset, JSONExtractUInt(_facts.value, 'length') AS length, _facts.machine AS machine,
    _owner.person AS person, _facts.tenant AS tenant
FROM (SELECT DISTINCT tenant, machine, store, session, file, generation, line, value FROM {db}.facts WHERE kind = 'history_prompt') AS _facts
INNER JOIN {db}.newest_files AS _newest
    ON _newest.tenant = _facts.tenant AND _newest.machine = _facts.machine AND _newest.store = _facts.store AND _newest.file = _facts.file
        AND _newest.generation = _facts.generation
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _facts.tenant AND _owner.machine = _facts.machine;

-- The names of these views in earlier releases, and `calls`.
CREATE OR REPLACE VIEW {db}.said AS SELECT * FROM {db}.blocks;
