-- Conversations, and the calls that started sub-agents. Search uses it as well as the views.
SELECT
    files.session AS session,
    files.agent AS agent,
    iif(files.role = 0, 'main', 'sub-agent') AS kind,
    (SELECT value FROM files AS metas JOIN facts ON facts.file = metas.id AND facts.kind = 18
        WHERE metas.session = files.session AND metas.agent = files.agent AND metas.role = 7 LIMIT 1) AS agent_type,
    -- By the call's result, the sub-agent's meta file, a progress record, or the prompt, whichever is found first.
    iif(files.role = 1, coalesce(
        (SELECT tool_use FROM files AS parents JOIN main.tool_calls AS calls ON calls.file = parents.id
            WHERE parents.session = files.session AND calls.agent = files.agent LIMIT 1),
        (SELECT value FROM files AS metas JOIN facts ON facts.file = metas.id AND facts.kind = 17
            WHERE metas.session = files.session AND metas.agent = files.agent AND metas.role = 7 LIMIT 1),
        (SELECT substr(value, length(files.agent) + 2) FROM files AS parents JOIN facts ON facts.file = parents.id
            WHERE parents.session = files.session AND facts.kind = 19
                AND substr(value, 1, length(files.agent) + 1) = files.agent || char(9) LIMIT 1),
        (SELECT tool_use FROM files AS parents JOIN main.tool_calls AS calls ON calls.file = parents.id
            WHERE parents.session = files.session AND calls.agent IS NULL AND calls.prompt =
                (SELECT CAST(value AS INTEGER) FROM facts WHERE facts.file = files.id AND facts.kind = 16)
            ORDER BY started LIMIT 1)
    ), NULL) AS spawned_by,
    files.records, files.bytes, files.path AS file
FROM files WHERE files.role IN (0, 1)
