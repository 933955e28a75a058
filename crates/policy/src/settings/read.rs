//! Parses the JSON of a settings file, each key by itself.

use std::path::Path;

use annals_json::BYTE_ORDER_MARK;
use annals_json::{Fields, RawJson, Value, ValueKind};

use super::{HookLimit, SandboxSettings, Settings, SettingsProblem, StatusLineSetting};
use crate::mode::{Bypass, Mode};
use crate::rules::{Rule, RuleList, SettingsSource};
use crate::server_lists::ServerLists;

/// Where the keys of permissions stand.
const PERMISSIONS: &str = "permissions.";

pub(super) fn parse(bytes: &[u8], source: SettingsSource, path: &Path) -> Settings {
    let mut settings = Settings::empty(source, path);
    let body = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let skipped = bytes.len() - body.len();
    let value = match Value::parse(body) {
        Ok(value) => value,
        Err(fault) => {
            let offset = skipped + fault.at;
            settings.problems.push(SettingsProblem::NotJson { path: path.to_path_buf(), offset });
            return settings;
        }
    };
    let mut reader = SettingsReader { settings };
    match value.fields() {
        Some(fields) => reader.top(&fields),
        None => reader.wrong("{}"),
    }
    reader.settings
}

struct SettingsReader {
    settings: Settings,
}

impl SettingsReader {
    fn wrong(&mut self, key: &str) {
        let path = self.settings.path.clone();
        self.settings.problems.push(SettingsProblem::WrongType { path, key: key.to_owned() });
    }

    fn top(&mut self, fields: &Fields<'_>) {
        self.settings.key_helper = self.text(fields, "apiKeyHelper");
        self.settings.model = self.text(fields, "model");
        self.settings.output_style = self.text(fields, "outputStyle");
        self.settings.disabled_servers = self.texts(fields, "", "disabledMcpjsonServers");
        let (lists, wrong) = ServerLists::parse(fields);
        // Only the administrator has the last word.
        let is_final = lists.is_final && self.settings.source == SettingsSource::Managed;
        self.settings.server_lists = ServerLists { is_final, ..lists };
        wrong.into_iter().for_each(|key| self.wrong(key));
        if let Some(environment) = self.object(fields, "env") {
            for field in environment.iter() {
                let name = field.key.decode().into_owned();
                match field.value.text() {
                    Some(value) => self.settings.environment.push((name, value.decode().into_owned().into())),
                    None => self.wrong(&format!("env.{name}")),
                }
            }
        }
        if let Some(sandbox) = self.object(fields, "sandbox") {
            let (sandbox, wrong) = SandboxSettings::parse(&sandbox);
            self.settings.sandbox = sandbox;
            wrong.iter().for_each(|key| self.wrong(key));
        }
        if let Some(permissions) = self.object(fields, "permissions") {
            self.permissions(&permissions);
        }
        self.settings.hooks = fields.get("hooks").filter(|hooks| !hooks.is_null()).map(RawJson::of);
        if let Some(line) = self.object(fields, "statusLine") {
            let number = |key: &str| line.number(key).filter(|number| *number >= 0.0);
            let is_command = line.get("type").and_then(Value::text).is_some_and(|kind| kind.is("command"));
            match line.get("command").and_then(Value::text).filter(|_| is_command) {
                Some(command) => {
                    self.settings.status_line = Some(StatusLineSetting {
                        command: command.decode().into_owned(),
                        padding: number("padding").map_or(0, |columns| columns.min(1000.0) as u16),
                        refresh: number("refreshInterval")
                            .map(|seconds| seconds.min(86_400.0) as u64)
                            .filter(|seconds| *seconds > 0),
                    });
                }
                None => self.wrong("statusLine"),
            }
        }
        self.settings.hook_limit = match () {
            () if fields.is_true("disableAllHooks") => HookLimit::All,
            () if fields.is_true("allowManagedHooksOnly") => HookLimit::Managed,
            () => HookLimit::None,
        };
    }

    fn permissions(&mut self, fields: &Fields<'_>) {
        for list in [RuleList::Deny, RuleList::Ask, RuleList::Allow] {
            for text in self.texts(fields, PERMISSIONS, list.name()) {
                let rule = Rule::new(&text, list, self.settings.source);
                if let Some(why) = rule.unknown() {
                    let (path, rule) = (self.settings.path.clone(), rule.text.clone());
                    self.settings.problems.push(SettingsProblem::UnknownRule { path, rule, why });
                }
                self.settings.rules.push(rule);
            }
        }
        self.settings.folders = self.texts(fields, PERMISSIONS, "additionalDirectories");
        if let Some(name) = self.text(fields, "defaultMode") {
            self.settings.mode = Mode::parse(&name);
            if self.settings.mode.is_none() {
                self.wrong("permissions.defaultMode");
            }
        }
        // Any value but false disables it.
        let disables = fields.get("disableBypassPermissionsMode");
        if disables.is_some_and(|value| !value.is_null() && value.boolean() != Some(false)) {
            self.settings.bypass = Bypass::Disabled;
        }
    }

    fn object<'f>(&mut self, fields: &Fields<'f>, key: &str) -> Option<Fields<'f>> {
        let value = fields.get(key).filter(|value| !value.is_null())?;
        let object = value.fields();
        if object.is_none() {
            self.wrong(key);
        }
        object
    }

    fn text(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        let value = fields.get(key).filter(|value| !value.is_null())?;
        let text = value.text().map(|text| text.decode().into_owned());
        if text.is_none() {
            self.wrong(key);
        }
        text
    }

    /// Reads a list of texts; `above` is where the key stands.
    fn texts(&mut self, fields: &Fields<'_>, above: &str, key: &str) -> Vec<String> {
        let Some(value) = fields.get(key).filter(|value| !value.is_null()) else { return Vec::new() };
        if value.kind() != ValueKind::Array {
            self.wrong(&format!("{above}{key}"));
            return Vec::new();
        }
        let mut found = Vec::new();
        for item in value.items() {
            match item.text() {
                Some(text) => found.push(text.decode().into_owned()),
                None => self.wrong(&format!("{above}{key}")),
            }
        }
        found
    }
}
