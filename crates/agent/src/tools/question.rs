//! AskUserQuestion: the model asks the person. The answer to the permission request has the answers in its input.

use annals_json::{Fields, Value, ValueKind};

use super::answer::{at_once, object};
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;

/// The name of the tool.
pub const NAME: &str = "AskUserQuestion";
/// The most questions of a call.
const MAX_QUESTIONS: usize = 4;
/// The most options of a question.
const MAX_OPTIONS: usize = 10;

const QUESTIONS: &str = r#"{"type":"array","minItems":1,"maxItems":4,"items":{"type":"object","properties":{"question":{"type":"string","description":"The question, in full"},"header":{"type":"string","description":"A label of one or two words"},"options":{"type":"array","minItems":2,"items":{"type":"object","properties":{"label":{"type":"string","description":"The answer, in a few words"},"description":{"type":"string","description":"What choosing it means"}},"required":["label","description"]}},"multiSelect":{"type":"boolean","description":"Whether several options can be chosen"}},"required":["question","header","options"]}}"#;
const ANSWERS: &str = r#"{"type":"object","additionalProperties":{"type":"string"},"description":"Filled in by the user: omit it"}"#;

/// A question to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserQuestion {
    pub question: String,
    /// What it is about, in a word.
    pub header: String,
    /// The options: what each says and means.
    pub options: Vec<(String, String)>,
    /// Whether several options can be chosen.
    pub is_multiple: bool,
}

impl UserQuestion {
    /// Reads the questions of a call; an error says what is wrong.
    pub fn read(input: &[u8]) -> Result<Vec<Self>, InputError> {
        Self::of(&Input::scan(input)?)
    }

    fn of(input: &Input<'_>) -> Result<Vec<Self>, InputError> {
        let list = input.list("questions")?;
        if list.is_empty() || list.len() > MAX_QUESTIONS {
            return Err(InputError(format!("Ask 1 to {MAX_QUESTIONS} questions at a time.")));
        }
        let questions = list.into_iter().map(Self::parse).collect::<Result<Vec<Self>, _>>()?;
        let is_twice = |question: &&Self| {
            questions.iter().filter(|other| other.question == question.question).count() > 1
        };
        match questions.iter().find(is_twice) {
            Some(twice) => Err(InputError(format!("The same question is asked twice: {}", twice.question))),
            None => Ok(questions),
        }
    }

    fn parse(value: Value<'_>) -> Result<Self, InputError> {
        let text = |value: Value<'_>, key: &str| {
            let text = value.get(key).and_then(Value::text).map(|text| text.decode().into_owned());
            text.filter(|text| !text.trim().is_empty())
        };
        let missing = |key: &str| InputError(format!("A question has no `{key}`."));
        let options = value.get("options").filter(|options| options.kind() == ValueKind::Array);
        let options = options.ok_or_else(|| missing("options"))?.items().map(|option| {
            let label =
                text(option, "label").ok_or_else(|| InputError("An option has no `label`.".to_owned()))?;
            Ok((label, text(option, "description").unwrap_or_default()))
        });
        let options = options.collect::<Result<Vec<_>, InputError>>()?;
        if options.len() < 2 || options.len() > MAX_OPTIONS {
            return Err(InputError(format!("A question must have 2 to {MAX_OPTIONS} options.")));
        }
        Ok(Self {
            question: text(value, "question").ok_or_else(|| missing("question"))?,
            header: text(value, "header").unwrap_or_default(),
            options,
            is_multiple: value.get("multiSelect").and_then(Value::boolean) == Some(true),
        })
    }
}

/// Asks the person.
#[derive(Clone, Copy, Debug)]
pub struct AskUserQuestion;

impl Tool for AskUserQuestion {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            NAME,
            "Asks the user to choose: what they prefer, what they meant, which way to go. Use it when the answer changes what you do and cannot be found out otherwise. They can always answer in their own words.",
        )
        .required("questions", ParamType::Schema(QUESTIONS), "")
        .optional("answers", ParamType::Schema(ANSWERS), "")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        UserQuestion::of(&Input::of(input))?;
        Ok(ToolRequest::Inward(NAME))
    }

    fn must_ask(&self) -> bool {
        true
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || {
            let input = Input::scan(input)?;
            let questions = UserQuestion::of(&input)?;
            let answers = input.value("answers").filter(|answers| answers.kind() == ValueKind::Object);
            let given = |question: &UserQuestion| {
                let answer = answers?.get(&question.question)?;
                let text = answer.text().map(|text| text.decode().into_owned());
                // Several choices may come as a list.
                let list = || {
                    answer.items().filter_map(Value::text).map(|text| text.to_string()).collect::<Vec<_>>()
                };
                Some(text.unwrap_or_else(|| list().join(", "))).filter(|answer| !answer.is_empty())
            };
            let given: Vec<(String, String)> = questions
                .iter()
                .filter_map(|question| Some((question.question.clone(), given(question)?)))
                .collect();
            let kept = object(|kept| {
                let asked =
                    input.value("questions").map_or_else(|| b"[]".to_vec(), |asked| asked.raw().to_vec());
                kept.raw("questions", &asked).object("answers", |answers| {
                    given.iter().for_each(|(question, answer)| {
                        answers.string(question, answer);
                    });
                });
            });
            let said: Vec<String> =
                given.iter().map(|(question, answer)| format!("\"{question}\"=\"{answer}\"")).collect();
            Ok(match said.is_empty() {
                true => Outcome::text("The user gave no answer.", kept),
                false => Outcome::text(format!("The user has answered: {}.", said.join(", ")), kept),
            })
        })
    }
}
