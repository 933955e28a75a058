//! Settings of the sandbox of commands. A project's files can make it stricter, never wider.

use annals_json::{Fields, ValueKind};

/// `sandbox` of a settings file, or of all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    /// `enabled`: without it there is a sandbox where one works.
    pub is_enabled: Option<bool>,
    /// `failIfUnavailable`
    pub is_required: Option<bool>,
    /// `autoAllowBashIfSandboxed`: whether commands run unasked in it.
    pub has_auto_allow: Option<bool>,
    /// `allowUnsandboxedCommands`: whether a command may leave it, if the user says so.
    pub has_exit: Option<bool>,
    /// `helpers`: whether hooks and MCP servers run in it like commands.
    pub has_helpers: Option<bool>,
    /// `network.allowAllUnixSockets`
    pub has_sockets: Option<bool>,
    /// `network.allowedDomains`
    pub hosts: Vec<String>,
    /// `filesystem.allowWrite`
    pub writable: Vec<String>,
    /// `filesystem.denyWrite`
    pub read_only: Vec<String>,
    /// `filesystem.denyRead`
    pub hidden: Vec<String>,
}

impl SandboxSettings {
    /// Reads the object; also returns the keys that hold another type than they should.
    pub(super) fn parse(fields: &Fields<'_>) -> (Self, Vec<String>) {
        let mut wrong = Vec::new();
        let network = object(fields, "network", &mut wrong);
        let files = object(fields, "filesystem", &mut wrong);
        let mut flag = |fields: Option<&Fields<'_>>, key: &str| {
            let value = fields?.get(key).filter(|value| !value.is_null())?;
            let flag = value.boolean();
            if flag.is_none() {
                wrong.push(format!("sandbox.{key}"));
            }
            flag
        };
        let mut settings = Self {
            is_enabled: flag(Some(fields), "enabled"),
            is_required: flag(Some(fields), "failIfUnavailable"),
            has_auto_allow: flag(Some(fields), "autoAllowBashIfSandboxed"),
            has_exit: flag(Some(fields), "allowUnsandboxedCommands"),
            has_helpers: flag(Some(fields), "helpers"),
            has_sockets: flag(network.as_ref(), "allowAllUnixSockets"),
            ..Self::default()
        };
        settings.hosts = texts(network.as_ref(), "allowedDomains", &mut wrong);
        settings.writable = texts(files.as_ref(), "allowWrite", &mut wrong);
        settings.read_only = texts(files.as_ref(), "denyWrite", &mut wrong);
        settings.hidden = texts(files.as_ref(), "denyRead", &mut wrong);
        (settings, wrong)
    }

    /// Adds the settings of a weaker source.
    pub(super) fn add(&mut self, weaker: Self) {
        self.is_enabled = self.is_enabled.or(weaker.is_enabled);
        self.is_required = self.is_required.or(weaker.is_required);
        self.has_auto_allow = self.has_auto_allow.or(weaker.has_auto_allow);
        self.has_exit = self.has_exit.or(weaker.has_exit);
        self.has_helpers = self.has_helpers.or(weaker.has_helpers);
        self.has_sockets = self.has_sockets.or(weaker.has_sockets);
        self.hosts.extend(weaker.hosts);
        self.writable.extend(weaker.writable);
        self.read_only.extend(weaker.read_only);
        self.hidden.extend(weaker.hidden);
    }

    /// Removes what makes the sandbox wider, and returns the keys.
    pub(super) fn narrow(&mut self) -> Vec<&'static str> {
        let mut removed = Vec::new();
        for (key, flag, is_wider) in [
            ("sandbox.enabled", &mut self.is_enabled, false),
            ("sandbox.failIfUnavailable", &mut self.is_required, false),
            ("sandbox.autoAllowBashIfSandboxed", &mut self.has_auto_allow, true),
            ("sandbox.allowUnsandboxedCommands", &mut self.has_exit, true),
            ("sandbox.helpers", &mut self.has_helpers, false),
            ("sandbox.network.allowAllUnixSockets", &mut self.has_sockets, true),
        ] {
            if flag.take_if(|flag| *flag == is_wider).is_some() {
                removed.push(key);
            }
        }
        for (key, list) in [
            ("sandbox.network.allowedDomains", &mut self.hosts),
            ("sandbox.filesystem.allowWrite", &mut self.writable),
        ] {
            if !std::mem::take(list).is_empty() {
                removed.push(key);
            }
        }
        removed
    }
}

fn object<'f>(fields: &Fields<'f>, key: &str, wrong: &mut Vec<String>) -> Option<Fields<'f>> {
    let value = fields.get(key).filter(|value| !value.is_null())?;
    let object = value.fields();
    if object.is_none() {
        wrong.push(format!("sandbox.{key}"));
    }
    object
}

fn texts(fields: Option<&Fields<'_>>, key: &str, wrong: &mut Vec<String>) -> Vec<String> {
    let value = fields.and_then(|fields| fields.get(key)).filter(|value| !value.is_null());
    let Some(value) = value else { return Vec::new() };
    let texts: Option<Vec<String>> = (value.kind() == ValueKind::Array)
        .then(|| value.items().map(|item| Some(item.text()?.decode().into_owned())).collect())
        .flatten();
    if texts.is_none() {
        wrong.push(format!("sandbox.{key}"));
    }
    texts.unwrap_or_default()
}
