//! The topics of `annals help`: short texts, hard-wrapped for 80 columns. Errors cite them.

/// A text that `annals help NAME` prints.
pub(crate) struct Topic {
    /// What is typed.
    pub(crate) name: &'static str,
    /// What the list of topics prints.
    pub(crate) about: &'static str,
    pub(crate) text: &'static str,
}

impl Topic {
    /// Finds a topic.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TOPICS.iter().find(|topic| topic.name == name)
    }
}

/// All topics. None has the name of a command.
pub(crate) static TOPICS: [Topic; 10] = [
    Topic {
        name: "sessions",
        about: "How to name a session or an age",
        text: include_str!("topics/sessions.txt"),
    },
    Topic { name: "dates", about: "How to write dates and times", text: include_str!("topics/dates.txt") },
    Topic {
        name: "queries",
        about: "What a search query can contain",
        text: include_str!("topics/queries.txt"),
    },
    Topic { name: "views", about: "The SQL views and their columns", text: include_str!("topics/views.txt") },
    Topic {
        name: "prices",
        about: "How cost is computed; price files",
        text: include_str!("topics/prices.txt"),
    },
    Topic {
        name: "changes",
        about: "Dry runs, confirmation, undo and the trash",
        text: include_str!("topics/changes.txt"),
    },
    Topic {
        name: "permissions",
        about: "What tools may do in a chat",
        text: include_str!("topics/permissions.txt"),
    },
    Topic {
        name: "environment",
        about: "Folders, environment variables and files",
        text: include_str!("topics/environment.txt"),
    },
    Topic { name: "scripts", about: "Scripts for the mock API", text: include_str!("topics/scripts.txt") },
    Topic {
        name: "exit-codes",
        about: "What the exit code means",
        text: include_str!("topics/exit-codes.txt"),
    },
];
