//! Bindings of one part of the program: which command a key means, and other keys for a command, in one way for all parts.

use super::KeymapError;
use crate::key::Key;

/// Keys that do something somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding<S, C> {
    /// Where.
    pub scope: S,
    /// The names of the keys.
    pub keys: Vec<String>,
    /// What they do.
    pub command: C,
    /// The same for people.
    pub help: &'static str,
}

/// Where, the names of the keys, what they do, and the same for people.
pub(crate) type BindingRow<S, C> = (S, &'static [&'static str], C, &'static str);

/// Bindings in the order in which they are explained.
#[derive(Clone, Debug)]
pub(crate) struct BindingTable<S, C>(Vec<Binding<S, C>>);

impl<S: Copy + PartialEq, C: Copy + PartialEq> BindingTable<S, C> {
    pub(crate) fn new(rows: impl IntoIterator<Item = BindingRow<S, C>>) -> Self {
        let binding = |(scope, keys, command, help): BindingRow<S, C>| {
            let keys = keys.iter().map(|&key| key.to_owned()).collect();
            Binding { scope, keys, command, help }
        };
        Self(rows.into_iter().map(binding).collect())
    }

    /// The bindings of a scope.
    pub(crate) fn of(&self, scope: S) -> impl Iterator<Item = &Binding<S, C>> {
        self.0.iter().filter(move |binding| binding.scope == scope)
    }

    /// What a key does in a scope.
    pub(crate) fn command(&self, scope: S, key: Key) -> Option<C> {
        let has_key =
            |binding: &&Binding<S, C>| binding.keys.iter().any(|name| Key::from_name(name) == Some(key));
        self.of(scope).find(has_key).map(|binding| binding.command)
    }

    /// Adds a key to a command.
    pub(crate) fn add(&mut self, scope: S, command: C, key: &str) {
        let is_it = |binding: &&mut Binding<S, C>| binding.scope == scope && binding.command == command;
        self.0.iter_mut().find(is_it).into_iter().for_each(|binding| binding.keys.push(key.to_owned()));
    }

    /// Gives a command these keys and no others; what they were bound to in the scope loses them. `unknown` is why it fails if the
    /// scope does not have the command.
    pub(crate) fn bind(
        &mut self,
        scope: S,
        command: C,
        keys: &[String],
        unknown: impl FnOnce() -> KeymapError,
    ) -> Result<(), KeymapError> {
        if !self.of(scope).any(|binding| binding.command == command) {
            return Err(unknown());
        }
        if let Some(name) = keys.iter().find(|name| Key::from_name(name).is_none()) {
            return Err(KeymapError::Key(name.clone()));
        }
        for binding in self.0.iter_mut().filter(|binding| binding.scope == scope) {
            binding.keys.retain(|key| !keys.contains(key));
            if binding.command == command {
                binding.keys = keys.to_vec();
            }
        }
        Ok(())
    }
}
