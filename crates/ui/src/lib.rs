//! Conversations for people: view models without a terminal, and the forms that they are drawn in.
