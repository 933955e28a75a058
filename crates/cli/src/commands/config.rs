//! `annals config`: prints and sets keys of the configuration file.

use std::path::Path;

use annals_json::ObjectWriter;

use crate::args::{ConfigArgs, ConfigCommand};
use crate::configuration::{ConfigKey, ConfigValue, set};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::json;
use crate::table::one_line;

pub(crate) fn run(args: &ConfigArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let path = context.config_file.clone().ok_or_else(|| {
        Fault::usage("no place for a configuration file: no home folder").hint("set HOME or XDG_CONFIG_HOME")
    })?;
    match &args.command {
        ConfigCommand::Path => print_path(&path, context),
        ConfigCommand::Get { key } => {
            context.config.check()?;
            match key {
                Some(key) => print_key(find(key)?, context),
                None => print_all(context),
            }
        }
        ConfigCommand::Set { key, values } => {
            let key = find(key)?;
            let value = match (key.is_list(), values.as_slice()) {
                (true, values) => ConfigValue::List(values.to_vec()),
                (false, [value]) => ConfigValue::Text(value.clone()),
                (false, _) => return Err(Fault::usage(format!("{} takes one value", key.name()))),
            };
            set(&path, key, &value)?;
            if context.json {
                context.out.json(|object| write_value(key, &value, object))?;
            } else if context.verbosity >= 0 {
                context.out.line(format!("set {} in {}", key.name(), path.display()))?;
            }
            Ok(Outcome::Done)
        }
    }
}

fn find(name: &str) -> Result<ConfigKey, Fault> {
    ConfigKey::of(name).ok_or_else(|| {
        let names: Vec<&str> = ConfigKey::ALL.iter().map(|key| key.name()).collect();
        Fault::usage(format!("unknown key {name:?}")).hint(format!("keys are {}", names.join(", ")))
    })
}

fn print_path(path: &Path, context: &mut Context) -> Result<Outcome, Fault> {
    if context.json {
        context.out.json(|object| {
            object.string("path", &path.display().to_string()).boolean("exists", path.is_file());
        })?;
    } else {
        context.out.line(path.display().to_string())?;
    }
    Ok(Outcome::Done)
}

/// One key: a text as it is, a list one a line, for scripts.
fn print_key(key: ConfigKey, context: &mut Context) -> Result<Outcome, Fault> {
    let Some(value) = context.config.get(key).cloned() else {
        if context.json {
            context.out.json(|_| ())?;
        }
        return Ok(Outcome::NothingFound);
    };
    if context.json {
        context.out.json(|object| write_value(key, &value, object))?;
        return Ok(Outcome::Done);
    }
    match &value {
        ConfigValue::Text(text) => context.out.line(one_line(text))?,
        ConfigValue::List(list) => {
            for item in list {
                context.out.line(one_line(item))?;
            }
        }
        ConfigValue::Table(entries) => {
            for (name, texts) in entries {
                context.out.line(one_line(&format!("{name} = {}", texts.join(", "))))?;
            }
        }
    }
    Ok(Outcome::Done)
}

fn print_all(context: &mut Context) -> Result<Outcome, Fault> {
    let set: Vec<(ConfigKey, ConfigValue)> =
        context.config.iter().map(|(key, value)| (key, value.clone())).collect();
    if context.json {
        context.out.json(|object| set.iter().for_each(|(key, value)| write_value(*key, value, object)))?;
    }
    for (key, value) in set.iter().filter(|_| !context.json) {
        let values = match value {
            ConfigValue::Text(text) => one_line(text),
            ConfigValue::List(list) => one_line(&list.join(", ")),
            ConfigValue::Table(entries) => {
                for (name, texts) in entries {
                    context.out.line(one_line(&format!("{}.{name} = {}", key.name(), texts.join(", "))))?;
                }
                continue;
            }
        };
        context.out.line(format!("{} = {values}", key.name()))?;
    }
    if set.is_empty() && !context.json {
        let names: Vec<&str> = ConfigKey::ALL.iter().map(|key| key.name()).collect();
        context.say(format!("no key is set; keys are {}", names.join(", ")));
    }
    Ok(if set.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn write_value(key: ConfigKey, value: &ConfigValue, object: &mut ObjectWriter<'_>) {
    match value {
        ConfigValue::List(list) => json::names(object, key.name(), list),
        ConfigValue::Table(entries) => {
            object.object(key.name(), |table| {
                entries.iter().for_each(|(name, texts)| json::names(table, name, texts));
            });
        }
        ConfigValue::Text(text) => {
            object.string(key.name(), text);
        }
    }
}
