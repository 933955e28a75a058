-- The views of `annals sql --at`: those of the local `annals sql` with their columns, and `machine` and `person`. They run with the
-- rights of the login that asks.
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
WITH per_file AS (
    SELECT tenant, key, machine, store, file, generation, any(responses.file_role) AS role,
        argMin(responses.is_copy, responses.line) AS copied, min(responses.line) AS first_line,
        if(countIf(responses.millis IS NOT NULL) = 0, NULL,
            argMinIf(assumeNotNull(responses.millis), responses.line, responses.millis IS NOT NULL)) AS at,
        argMax((responses.model, responses.certainty, responses.input, responses.output, responses.cache_read, responses.write_5m,
            responses.write_1h, responses.searches, responses.fetches, responses.cost), (responses.output, responses.line)) AS reading
    FROM {db}.responses GROUP BY tenant, key, machine, store, file, generation),
counted_once AS (
    SELECT tenant, key,
        argMin((machine, store, file, generation, at, first_line), (isNull(at), ifNull(at, 0), copied, role != 'session', machine, store,
            replaceAll(file, '/', '\0'), generation, first_line)) AS place,
        argMax(reading, (reading.4, reading.3, reading.5, reading.7, reading.6, reading.8, reading.9, reading.1)) AS most
    FROM per_file GROUP BY tenant, key)
SELECT newest.session AS session, newest.agent AS agent, newest.project AS project, most.1 AS model, place.5 AS millis, most.3 AS input,
    most.4 AS output, most.5 AS cache_read, most.6 AS cache_write_5m, most.7 AS cache_write_1h, most.8 AS web_searches,
    toFloat64(most.10) / 1e15 AS cost_usd, ['table', 'derived', 'unpriced'][most.2 + 1] AS priced_by, place.3 AS file, place.6 AS line,
    place.1 AS machine, owner.person AS person, counted_once.tenant AS tenant
FROM counted_once
LEFT JOIN {db}.newest_files AS newest
    ON newest.tenant = counted_once.tenant AND newest.machine = place.1 AND newest.store = place.2 AND newest.file = place.3
LEFT JOIN {db}.people AS owner ON owner.tenant = counted_once.tenant AND owner.machine = place.1;

CREATE OR REPLACE VIEW {db}.sessions AS
SELECT newest.session AS id, newest.project AS project, stated.cwd AS cwd, stated.git_branch AS git_branch,
    coalesce(nullIf(titles.custom_title, ''), nullIf(titles.ai_title, ''), nullIf(titles.last_prompt, ''), nullIf(titles.first_prompt, ''),
        nullIf(titles.first_command, '')) AS title,
    nullIf(titles.tag, '') AS tag, stated.active AS active, newest.lines AS lines, newest.bytes AS bytes, newest.file AS file,
    newest.state AS state, newest.machine AS machine, owner.person AS person, newest.tenant AS tenant
FROM (SELECT * FROM {db}.newest_files WHERE role = 'session') AS newest
LEFT JOIN (
    SELECT tenant, machine, store, file, generation, argMaxIf(lines.branch, lines.line, lines.branch != '') AS git_branch,
        arrayElement(topKIf(1)(lines.cwd, lines.cwd != ''), 1) AS cwd, max(lines.millis) AS active
    FROM {db}.lines WHERE role = 'session' GROUP BY tenant, machine, store, file, generation) AS stated
    ON stated.tenant = newest.tenant AND stated.machine = newest.machine AND stated.store = newest.store AND stated.file = newest.file
        AND stated.generation = newest.generation
LEFT JOIN (
    SELECT tenant, machine, store, file, generation, argMaxIf(value, line, kind = 'custom_title') AS custom_title,
        argMaxIf(value, line, kind = 'ai_title') AS ai_title, argMaxIf(value, line, kind = 'last_prompt') AS last_prompt,
        argMinIf(value, line, kind = 'first_prompt') AS first_prompt, argMinIf(value, line, kind = 'first_command') AS first_command,
        argMaxIf(value, line, kind = 'tag') AS tag
    FROM {db}.facts GROUP BY tenant, machine, store, file, generation) AS titles
    ON titles.tenant = newest.tenant AND titles.machine = newest.machine AND titles.store = newest.store AND titles.file = newest.file
        AND titles.generation = newest.generation
LEFT JOIN {db}.people AS owner ON owner.tenant = newest.tenant AND owner.machine = newest.machine;

CREATE OR REPLACE VIEW {db}.blocks AS
SELECT messages.session AS session, messages.agent AS agent, messages.project AS project, messages.role AS role, messages.kind AS kind,
    messages.tool AS tool, messages.is_error AS is_error, messages.millis AS millis, messages.bytes AS bytes, messages.file AS file,
    messages.line AS line, messages.offset AS offset, messages.length AS length, messages.block AS block, messages.uuid AS uuid,
    messages.machine AS machine, owner.person AS person, messages.tenant AS tenant
FROM (SELECT DISTINCT * FROM {db}.messages
    WHERE (tenant, machine, store, file, generation) IN (SELECT tenant, machine, store, file, generation FROM {db}.newest_files)) AS messages
LEFT JOIN {db}.people AS owner ON owner.tenant = messages.tenant AND owner.machine = messages.machine;

CREATE OR REPLACE VIEW {db}.tool_calls AS
SELECT any(halves.session) AS session, any(halves.agent) AS agent, halves.call AS tool_use, maxIf(halves.tool, half = 'call') AS tool,
    maxIf(halves.line, half = 'call') AS line, minIf(halves.line, half = 'result') AS result_line,
    maxIf(halves.millis, half = 'call') AS started, minIf(halves.millis, half = 'result') AS ended, ended - started AS duration_ms,
    maxIf(halves.is_error, half = 'result') AS is_error, maxIf(halves.path, half = 'call') AS path,
    maxIf(halves.started_agent, half = 'result') AS started_agent, maxIf(halves.bytes, half = 'call') AS input_bytes,
    maxIf(halves.bytes, half = 'result') AS result_bytes, halves.file AS file, halves.machine AS machine, any(owner.person) AS person,
    halves.tenant AS tenant
FROM (SELECT * FROM {db}.calls
    WHERE (tenant, machine, store, file, generation) IN (SELECT tenant, machine, store, file, generation FROM {db}.newest_files)) AS halves
LEFT JOIN {db}.people AS owner ON owner.tenant = halves.tenant AND owner.machine = halves.machine
GROUP BY halves.tenant, halves.machine, halves.store, halves.file, halves.call;
