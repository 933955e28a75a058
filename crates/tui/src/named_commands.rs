//! Declares what keys can do, each with its name in a configuration, such as `half-down`.

/// Declares an enum of commands with their names.
macro_rules! named_commands {
    ($(#[$attribute:meta])* $commands:ident { $($command:ident = $name:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $commands {
            $($command,)*
        }

        impl $commands {
            /// Returns its name in a configuration.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$command => $name,)*
                }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$command),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use named_commands;
