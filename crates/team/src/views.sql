-- The views of `annals sql --at`: those of the local `annals sql` with their columns, and `machine` and `person`. They run with the
-- rights of the login that asks.
-- Names of parts begin with an underscore, which no database does: a part that is called like the database would hide it.
CREATE OR REPLACE VIEW {db}.people AS
SELECT tenant, machine, argMax(machines.person, version) AS person, argMax(machines.team, version) AS team
FROM {db}.machines GROUP BY tenant, machine;

CREATE OR REPLACE VIEW {db}.newest_files AS
SELECT tenant, machine, store, file, maxIf(files.generation, files.state = 'there') AS generation, any(files.role) AS role,
    any(files.project) AS project, argMinIf(files.session, (files.generation, files.version), files.session != '') AS session,
    any(files.agent) AS agent, argMaxIf(files.reached, (files.generation, files.reached), files.state = 'there') AS bytes,
    argMaxIf(files.lines, (files.generation, files.reached), files.state = 'there') AS lines,
    if(argMax(files.state, files.generation) = 'gone', 'gone', 'there') AS state
FROM {db}.files GROUP BY tenant, machine, store, file HAVING generation != 0;

CREATE OR REPLACE VIEW {db}.usage AS
WITH _per_file AS (
    SELECT tenant, key, machine, store, file, generation, any(responses.file_role) AS role,
        argMin(responses.is_copy, responses.line) AS copied, min(responses.line) AS first_line,
        if(countIf(responses.millis IS NOT NULL) = 0, NULL,
            argMinIf(assumeNotNull(responses.millis), responses.line, responses.millis IS NOT NULL)) AS at,
        argMax((responses.model, responses.certainty, responses.input, responses.output, responses.cache_read, responses.write_5m,
            responses.write_1h, responses.searches, responses.fetches, responses.cost), (responses.output, responses.line)) AS reading
    FROM {db}.responses GROUP BY tenant, key, machine, store, file, generation),
_counted_once AS (
    SELECT tenant, key,
        argMin((machine, store, file, generation, at, first_line), (isNull(at), ifNull(at, 0), copied, role != 'session', machine, store,
            replaceAll(file, '/', '\0'), generation, first_line)) AS place,
        argMax(reading, (reading.4, reading.3, reading.5, reading.7, reading.6, reading.8, reading.9, reading.1)) AS most
    FROM _per_file GROUP BY tenant, key)
SELECT _newest.session AS session, _newest.agent AS agent, _newest.project AS project, most.1 AS model, place.5 AS millis, most.3 AS input,
    most.4 AS output, most.5 AS cache_read, most.6 AS cache_write_5m, most.7 AS cache_write_1h, most.8 AS web_searches,
    toFloat64(most.10) / 1e15 AS cost_usd, ['table', 'derived', 'unpriced'][most.2 + 1] AS priced_by, place.3 AS file, place.6 AS line,
    place.1 AS machine, _owner.person AS person, _counted_once.tenant AS tenant
FROM _counted_once
LEFT JOIN {db}.newest_files AS _newest
    ON _newest.tenant = _counted_once.tenant AND _newest.machine = place.1 AND _newest.store = place.2 AND _newest.file = place.3
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _counted_once.tenant AND _owner.machine = place.1;

CREATE OR REPLACE VIEW {db}.sessions AS
SELECT _newest.session AS id, _newest.project AS project, _stated.cwd AS cwd, _stated.git_branch AS git_branch,
    coalesce(nullIf(_titles.custom_title, ''), nullIf(_titles.ai_title, ''), nullIf(_titles.last_prompt, ''), nullIf(_titles.first_prompt, ''),
        nullIf(_titles.first_command, '')) AS title,
    nullIf(_titles.tag, '') AS tag, _stated.active AS active, _newest.lines AS lines, _newest.bytes AS bytes, _newest.file AS file,
    _newest.state AS state, _newest.machine AS machine, _owner.person AS person, _newest.tenant AS tenant
FROM (SELECT * FROM {db}.newest_files WHERE role = 'session') AS _newest
LEFT JOIN (
    SELECT tenant, machine, store, file, generation, argMaxIf(lines.branch, lines.line, lines.branch != '') AS git_branch,
        arrayElement(topKIf(1)(lines.cwd, lines.cwd != ''), 1) AS cwd, max(lines.millis) AS active
    FROM {db}.lines WHERE role = 'session' GROUP BY tenant, machine, store, file, generation) AS _stated
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
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _newest.tenant AND _owner.machine = _newest.machine;

CREATE OR REPLACE VIEW {db}.blocks AS
SELECT _messages.session AS session, _messages.agent AS agent, _messages.project AS project, _messages.role AS role, _messages.kind AS kind,
    _messages.tool AS tool, _messages.is_error AS is_error, _messages.millis AS millis, _messages.bytes AS bytes, _messages.file AS file,
    _messages.line AS line, _messages.offset AS offset, _messages.length AS length, _messages.block AS block, _messages.uuid AS uuid,
    _messages.machine AS machine, _owner.person AS person, _messages.tenant AS tenant
FROM (SELECT DISTINCT * FROM {db}.messages
    WHERE (tenant, machine, store, file, generation) IN (SELECT tenant, machine, store, file, generation FROM {db}.newest_files)) AS _messages
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _messages.tenant AND _owner.machine = _messages.machine;

CREATE OR REPLACE VIEW {db}.tool_calls AS
SELECT any(_halves.session) AS session, any(_halves.agent) AS agent, _halves.call AS tool_use, maxIf(_halves.tool, half = 'call') AS tool,
    maxIf(_halves.line, half = 'call') AS line, minIf(_halves.line, half = 'result') AS result_line,
    maxIf(_halves.millis, half = 'call') AS started, minIf(_halves.millis, half = 'result') AS ended, ended - started AS duration_ms,
    maxIf(_halves.is_error, half = 'result') AS is_error, maxIf(_halves.path, half = 'call') AS path,
    maxIf(_halves.started_agent, half = 'result') AS started_agent, maxIf(_halves.bytes, half = 'call') AS input_bytes,
    maxIf(_halves.bytes, half = 'result') AS result_bytes, _halves.file AS file, _halves.machine AS machine, any(_owner.person) AS person,
    _halves.tenant AS tenant
FROM (SELECT * FROM {db}.calls
    WHERE (tenant, machine, store, file, generation) IN (SELECT tenant, machine, store, file, generation FROM {db}.newest_files)) AS _halves
LEFT JOIN {db}.people AS _owner ON _owner.tenant = _halves.tenant AND _owner.machine = _halves.machine
GROUP BY _halves.tenant, _halves.machine, _halves.store, _halves.file, _halves.call;
