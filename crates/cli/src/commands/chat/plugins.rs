//! Plugins of a conversation: folders of `--plugin-dir`, and those that settings enable and the original has installed.

use std::path::{Path, PathBuf};

use annals_agent::hook_handlers::HandlerContext;
use annals_agent::plugin::{DATA_VARIABLE, Plugin, ROOT_VARIABLE, installed_plugins};
use annals_json::Value;
use annals_policy::rules::SettingsSource;
use annals_policy::screen::visible;
use annals_policy::settings::{MAX_BYTES, SettingsArg};
use annals_store::ConfigDir;

use super::setup::{MANAGED, Setup, SourceChoice};
use super::unsupported::read_small;
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;

/// Reads the plugins; what cannot be used is reported. Of two with one name the first is used.
pub(super) fn read(setup: &Setup, args: &ChatArgs, context: &Context) -> Result<Vec<Plugin>, Fault> {
    let mut folders: Vec<(PathBuf, String)> =
        args.sdk.plugin_dir.iter().map(|folder| (setup.cwd.join(folder), "inline".to_owned())).collect();
    let (installed, mut problems) = installed_plugins(context.store.config_dir());
    let enabled = if args.bare { Vec::new() } else { enabled(setup, args, context)? };
    for name in enabled {
        match installed.iter().find(|(known, _)| *known == name) {
            Some((_, folder)) => {
                let market = name.split_once('@').map_or("", |(_, market)| market);
                folders.push((folder.clone(), market.to_owned()));
            }
            None => problems.push(format!("plugin {name} is enabled but not installed: not loaded")),
        }
    }
    let mut plugins: Vec<Plugin> = Vec::new();
    for (folder, market) in folders {
        match Plugin::read(&folder, &market) {
            Ok(plugin) if plugins.iter().any(|known| known.name == plugin.name) => {
                problems.push(format!("{}: another plugin is called {}", folder.display(), plugin.name));
            }
            Ok(plugin) => plugins.push(plugin),
            Err(why) => problems.push(format!("plugin not loaded: {why}")),
        }
    }
    let own = plugins.iter().flat_map(|plugin| &plugin.problems);
    problems.iter().chain(own).for_each(|problem| context.say(visible(problem)));
    Ok(plugins)
}

/// Returns the plugins that settings enable; of two settings about one plugin the nearer one counts.
fn enabled(setup: &Setup, args: &ChatArgs, context: &Context) -> Result<Vec<String>, Fault> {
    let chosen = SourceChoice::new(args)?;
    let project = setup.cwd.join(".claude");
    let of_project = |source| chosen.has(source) && setup.is_trusted();
    let files = [
        (project.join("settings.local.json"), of_project(SettingsSource::Local)),
        (project.join("settings.json"), of_project(SettingsSource::Project)),
        (context.store.config_dir().settings(), chosen.has(SettingsSource::User)),
    ];
    let mut all = vec![read_small(Path::new(MANAGED), MAX_BYTES)];
    all.push(args.settings.as_deref().and_then(|given| match SettingsArg::new(given) {
        SettingsArg::Inline(json) => Some(json.as_bytes().to_vec()),
        SettingsArg::File(path) => read_small(&setup.cwd.join(path), MAX_BYTES),
    }));
    all.extend(files.iter().filter(|(_, counts)| *counts).map(|(path, _)| read_small(path, MAX_BYTES)));
    let mut decided: Vec<(String, bool)> = Vec::new();
    for settings in all.iter().flatten() {
        let plugins =
            Value::parse(settings).ok().and_then(|settings| settings.get("enabledPlugins")?.fields());
        for plugin in plugins.iter().flat_map(|plugins| plugins.iter()) {
            let name = plugin.key.to_string();
            // A list of versions enables it, too.
            let is_on = plugin.value.boolean() != Some(false) && !plugin.value.is_null();
            if decided.iter().all(|(known, _)| *known != name) {
                decided.push((name, is_on));
            }
        }
    }
    Ok(decided.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name).collect())
}

/// Returns the variables that programs of a plugin get.
pub(super) fn variables(plugin: &Plugin, config: &ConfigDir) -> [(String, String); 2] {
    let data = config.path().join("plugins").join("data").join(plugin.source.replace('@', "-"));
    [
        (ROOT_VARIABLE.to_owned(), plugin.root.display().to_string()),
        (DATA_VARIABLE.to_owned(), data.display().to_string()),
    ]
}

/// Returns what the handlers of a plugin share.
pub(super) fn handlers(plugin: &Plugin, config: &ConfigDir, usual: &HandlerContext) -> HandlerContext {
    let variables = usual.variables.iter().cloned().chain(variables(plugin, config)).collect();
    HandlerContext { variables, plugin: Some(plugin.root.clone()), ..usual.clone() }
}
