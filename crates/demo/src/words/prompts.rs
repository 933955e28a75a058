//! What people ask for.

/// First requests of a piece of work.
pub(crate) const OPENING: &[&str] = &[
    "The {noun} is {adj} after we {verb} the {noun}. Can you find out why? Start with {file}.",
    "Please add a way to {verb} every {adj} {noun}. {person} wants it before the release.",
    "{func} in {file} takes {ms} ms for a {adj} {noun}. Make it faster without changing what it returns.",
    "Write tests for {func}. The {adj} {noun} case has bitten us twice ({ticket}).",
    "Refactor {file}: it mixes {ing} the {noun} with {ing} the {noun}, and I can no longer follow it.",
    "Why do we {verb} the {noun} twice? I see two log lines for each {noun} since yesterday.",
    "{ticket}: users report that the {noun} is gone when the {noun} is {adj}. I could not reproduce it, maybe you can.",
    "Let's replace {pkg} in {area}. I want fewer dependencies there, and we only use it to {verb} a {noun}.",
    "Explain how the {noun} gets {past} on the way from {file} to {file}. A short summary is enough.",
    "Add a `--dry-run` mode to {func}, so that one can see which {noun} would be {past}.",
    "The build fails since commit {sha}:\n\n{err}\n\nPlease fix it and tell me what went wrong.",
    "Look at the open review comments of {person} on the {noun} change and go through them one by one.",
    "We need a migration: the {noun} table gets a `{field}` column, filled from the {noun}. Keep it reversible.",
    "Document {area} for new people. Half a page, with one example for a {adj} {noun}.",
    "I think {type} should own the {noun}, not {type}. Do you agree? If so, move it.",
    "Our nightly run {past} {num} {noun} entries instead of {num}. Find the difference.",
    "Update {pkg} to the newest major version and repair whatever breaks.",
    "Make the error message for a {adj} {noun} useful. Right now it only says \"{err}\".",
    "Count how often a {noun} is {past} per day and print a small table.",
    "Die Rundung beim {noun} stimmt nicht, siehe {file}. Bitte prüfen und einen Test ergänzen.",
    "Since the last release the {noun} page needs {ms} ms. {person} thinks it is the {noun}, I think it is {func}. Who is right?",
    "We want to {verb} {num} {noun} entries in one go. What breaks first? Try it with {file}.",
    "Take over {ticket} from {person}: the {adj} {noun} should be {past} at night, not on request.",
    "The comments in {file} lie. Read the code, then rewrite them.",
    "I need a script that will {verb} each {adj} {noun} older than {small} days and print what it did.",
    "Please compare how {area} and {area} treat a {adj} {noun}, and propose one way for both.",
    "There is a race between {func} and {func}. I see it about once in {num} runs. Find it by reading, not by running.",
    "Clean up the tests in {area}: same fixtures everywhere, no sleeping, names that say what they check.",
];

/// Requests that go on from an answer.
pub(crate) const FOLLOW_UP: &[&str] = &[
    "Good. Now do the same for the {adj} {noun}.",
    "Hm, that breaks {func}. Can you keep the old behaviour when the {noun} is {adj}?",
    "yes, go ahead",
    "Run the tests again, please.",
    "Commit this with a message that says why, not only what.",
    "Why did you choose {type} here? Could {func} not just return the {noun}?",
    "Not quite: {person} meant the {noun} in {area}, not this one.",
    "Can you show me the diff of {file} before you go on?",
    "The number {num} looks wrong to me. Where does it come from?",
    "ok, and what about {ing} the {noun}? We should not forget that.",
    "Please use the name `{field}` instead, we have it in the other tables as well.",
    "Leave {file} alone for now. I will ask {person} first.",
    "That is better. One more thing: log the {noun} id when we {verb} it.",
    "Add a test for the case where the {noun} is {adj} and the {noun} is missing.",
    "It works on my machine but not in CI:\n\n{err}",
    "Can we get this under {ms} ms?",
    "Simplify it. I do not want a new type for this.",
    "continue",
    "Undo the last change, the {noun} must stay {adj} until {ticket} is done.",
    "Great, thank you. Write two sentences for the changelog.",
    "Where else do we {verb} a {noun}? I would like one place for that.",
    "The {noun} looks good now. Please do {file} next.",
    "How sure are you that the {adj} {noun} cannot happen?",
    "Put the {noun} behind a flag, off by default.",
    "{person} says the {noun} was {adj} on purpose, see {ticket}. Bring it back.",
    "What would it take to {verb} the {noun} in {area} as well? Only tell me, do not do it.",
    "I get this now: {err}",
    "Use {pkg} for that, we have it anyway.",
    "Split {func} in two, it is too long to read.",
    "Which {noun} entries did you leave out, and why?",
    "Merge it when the checks are green, and delete the branch.",
];

/// What a sub-agent is told, after its short description.
pub(crate) const ERRANDS: &[(&str, &str)] = &[
    (
        "Find where the {noun} is {past}",
        "Search the repository for every place where a {noun} is {past} or {past}. Look in {area} first, then everywhere. Report each place with file and line, and say in one sentence what it does with the {noun}. Do not change anything.",
    ),
    (
        "Review the {noun} change",
        "Read the change on this branch that touches {file} and review it. Pay attention to the {adj} {noun}, to errors that are swallowed, and to tests that are missing. Report findings in order of weight, each with file and line.",
    ),
    (
        "List the uses of {func}",
        "List all callers of {func} and tell for each whether it would still work if the function returned nothing for a {adj} {noun}. Answer as a table.",
    ),
    (
        "Explore {area}",
        "Get an overview of {area}: which types exist, which of them own data, how a {noun} flows through them. I need the result to plan a change that will {verb} the {noun}. Be brief and name the files.",
    ),
    (
        "Check the docs of {pkg}",
        "Find out how {pkg} handles a {adj} {noun} and whether there is an option for it. Quote the name of the option and the version since which it exists.",
    ),
    (
        "Measure {func}",
        "Write a throw-away benchmark for {func} with {num} entries, run it three times and report the median. Remove the benchmark afterwards.",
    ),
];

/// Titles that the client makes up.
pub(crate) const TITLES: &[&str] = &[
    "Fix {adj} {noun} in {area}",
    "Speed up {ing} of the {noun}",
    "{ing} the {noun}: tests and docs",
    "Find out why the {noun} is {adj}",
    "Replace {pkg} for the {noun}",
    "Add dry run for the {noun}",
    "Review of the {noun} change",
];
