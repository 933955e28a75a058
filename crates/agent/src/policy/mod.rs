//! What a tool call may do: rules, modes, paths, trust. It decides and explains, and runs nothing.

pub mod shell;
