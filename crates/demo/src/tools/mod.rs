//! Tool calls with their results, in the shapes that the client gives them.

pub(crate) mod agents;
pub(crate) mod files;
pub(crate) mod gallery;
pub(crate) mod lists;
pub(crate) mod search;
pub(crate) mod shell;

use crate::json;
use crate::turn::Exchange;

/// A call whose input and result are known as JSON, and whose answer is a text.
pub(crate) fn fixed(name: &str, input: &str, answer: &str, result: &str) -> Exchange {
    Exchange {
        name: name.to_owned(),
        input: input.as_bytes().to_vec(),
        content: json::string(answer),
        result: result.as_bytes().to_vec(),
        ..Exchange::default()
    }
}

/// A call that fails: the model reads `message`, the result repeats it.
pub(crate) fn failed(name: &str, input: Vec<u8>, message: &str) -> Exchange {
    Exchange {
        name: name.to_owned(),
        input,
        content: json::string(message),
        error: Some(true),
        result: json::string(&format!("Error: {message}")),
        ..Exchange::default()
    }
}

/// A call that the person does not allow.
pub(crate) fn denied(name: &str, input: Vec<u8>) -> Exchange {
    let message = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    Exchange { result: json::string("User rejected tool use"), ..failed(name, input, message) }
}

/// A piece of the gallery.
pub(crate) fn piece(&(name, input, answer, result): &gallery::Piece) -> Exchange {
    fixed(name, input, answer, result)
}

/// A failure of the gallery.
pub(crate) fn failure(&(name, input, message): &gallery::Failure) -> Exchange {
    failed(name, input.as_bytes().to_vec(), message)
}
