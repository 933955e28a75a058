"""Deliberate differences between annals and the original under the SDK: (program, place in its facts, reason). Both are patterns."""

DIFFERENCES = [
    ("*", "facts*[*].stop_reason", "the original prints null, annals what the API said: it is known when the line is written"),
    ("tool_that_writes", "facts.messages[*].content[*].content", "the result of Write in our own words"),
    ("hook_that_fails", "facts.files.made", "the original runs the call of a hook that failed; annals denies it: a broken guard must not open the door"),
    ("server_of_the_program", "facts.second[*].content[*].content", "the original adds the schema of a tool that it has not shown to the model before; annals shows all tools"),
    ("agents_of_the_program", "facts.answers[*][*]", "the original starts sub-agents in the background and tells of their answer later; here a call waits for its answer"),
    ("agents_of_the_program", "facts.texts", "as above: the original has one more turn for the answer, and its mock answers it"),
]
