//! Outputs of tools, which are files of their own.

use std::collections::HashSet;

use super::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter};

/// Of these outputs, each as `SESSION/tool-results/NAME`, those that were sent.
pub fn collected_outputs(
    engine: &Engine,
    scope: &Scope,
    names: &[String],
) -> Result<HashSet<String>, EngineError> {
    let mut parameters = scope.parameters();
    parameters.push(("names", Parameter::Texts(names.to_vec())));
    let question = format!(
        "SELECT DISTINCT arrayStringConcat(arraySlice(splitByChar('/', file), -3), '/') AS name FROM {{db}}.files
         WHERE tenant = {{tenant:String}} AND role = 'output' AND name IN {{names:Array(String)}}{}",
        scope.condition()
    );
    Ok(engine.select(&question, &parameters)?.rows().map(|row| row.text("name")).collect())
}
