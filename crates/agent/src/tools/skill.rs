//! Skill: the model uses a skill. The turn runs what is in its text and gives the text to the model; the tool checks and answers.

use std::sync::{Arc, PoisonError, RwLock};

use annals_json::Fields;

use super::answer::{at_once, object};
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;

/// The name of the tool.
pub const NAME: &str = "Skill";

/// A skill, as far as its call is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillCall {
    pub name: String,
    /// Whether the person alone may use it.
    pub is_persons: bool,
    /// Rules that allow calls while it is used.
    pub allowed: Vec<String>,
    /// The model that it is used with.
    pub model: Option<String>,
}

/// The skills that there are: more come as files are used.
#[derive(Clone, Debug, Default)]
pub struct SkillCalls(Arc<RwLock<Vec<SkillCall>>>);

impl SkillCalls {
    /// Creates the list.
    pub fn new(skills: Vec<SkillCall>) -> Self {
        Self(Arc::new(RwLock::new(skills)))
    }

    pub(crate) fn add(&self, skills: impl IntoIterator<Item = SkillCall>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).extend(skills);
    }

    fn find(&self, name: &str) -> Option<SkillCall> {
        let skills = self.0.read().unwrap_or_else(PoisonError::into_inner);
        skills.iter().find(|skill| skill.name == name).cloned()
    }
}

/// Uses a skill.
pub struct SkillTool {
    skills: SkillCalls,
}

impl SkillTool {
    /// The tool for these skills.
    pub fn new(skills: SkillCalls) -> Self {
        Self { skills }
    }

    fn skill(&self, input: &Input<'_>) -> Result<SkillCall, InputError> {
        input.text_if("args")?;
        let name = skill_name(&input.words("skill")?);
        let skill = self.skills.find(&name).ok_or_else(|| InputError(format!("Unknown skill: {name}")))?;
        if skill.is_persons {
            return Err(InputError(format!(
                "Only the user can use the skill {name} (disable-model-invocation). Ask them to enter /{name}; do not do what it describes in another way."
            )));
        }
        Ok(skill)
    }
}

/// Returns the name of a skill, as the model writes it.
pub(crate) fn skill_name(written: &str) -> String {
    let written = written.trim();
    written.strip_prefix('/').unwrap_or(written).to_owned()
}

impl Tool for SkillTool {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            NAME,
            "Runs a skill: instructions for a certain kind of work, which follow the result of the call. The conversation lists the available skills (skill_listing) and what each is for. If one fits the task, run it before you start. A prompt of the user that begins with /NAME has already run that skill.",
        )
        .required("skill", ParamType::Text, "The name of the skill")
        .optional("args", ParamType::Text, "Arguments for the skill")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let skill = self.skill(&Input::of(input))?;
        let name = skill.name.clone();
        Ok(match skill.allowed.is_empty() {
            true => ToolRequest::Skill(name),
            false => ToolRequest::GrantingSkill(name),
        })
    }

    fn skills(&self) -> Option<&SkillCalls> {
        Some(&self.skills)
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || {
            let skill = self.skill(&Input::scan(input)?)?;
            let kept = object(|kept| {
                kept.boolean("success", true).string("commandName", &skill.name);
                if !skill.allowed.is_empty() {
                    kept.array("allowedTools", |list| {
                        skill.allowed.iter().for_each(|rule| {
                            list.string(rule);
                        });
                    });
                }
                kept.string_if("model", skill.model.as_deref());
            });
            Ok(Outcome::text(format!("Launching skill: {}", skill.name), kept))
        })
    }
}
