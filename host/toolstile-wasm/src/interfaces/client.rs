//! `client`: questions to whoever made the call, in the middle of it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use toolstile_core::{
    Answer as Answered, AskError, JsonLimits, Offered, Question as Asked, escape_invisible,
    parse_json,
};

use super::denied::{Answer, refuse};
use crate::bindings::client::{self, Host, Offer, Question, Root};
use crate::bindings::types::ErrorKind;
use crate::capabilities::Capability;
use crate::state::PluginState;

/// Questions that can be asked at once.
const MAX_QUESTIONS: usize = 16;

/// Bytes of a key.
const MAX_KEY: usize = 128;

/// How long answers are waited for.
const PATIENCE: Duration = Duration::from_secs(600);

impl Host for PluginState {
    fn offered(&mut self) -> wasmtime::Result<Offer> {
        self.spend(0)?;
        let offered = self.may_ask();
        let part = |there, flag| if there { flag } else { Offer::empty() };
        Ok(part(offered.elicit, Offer::ELICIT)
            | part(offered.sample, Offer::SAMPLE)
            | part(offered.roots, Offer::ROOTS))
    }

    async fn ask(
        &mut self,
        questions: Vec<(String, Question)>,
    ) -> Answer<Vec<(String, client::Answer)>> {
        self.spend(questions.iter().map(size).sum())?;
        let questions = match self.check(questions) {
            Ok(questions) => questions,
            Err((kind, message)) => return refuse(kind, message),
        };
        let began = Instant::now();
        let standing = self.deadline.stop();
        let asked = tokio::time::timeout(PATIENCE, self.context.ask(questions)).await;
        drop(standing);
        self.host_deadline += began.elapsed();
        match asked.unwrap_or(Err(AskError::TimedOut)) {
            Ok(answers) => {
                Ok(Ok(answers.into_iter().map(|(key, answer)| (key, give(answer))).collect()))
            }
            Err(error) => refuse(kind(&error), error.to_string()),
        }
    }
}

type Failure = (ErrorKind, String);

impl PluginState {
    /// What is granted and can be asked here and now.
    fn may_ask(&self) -> Offered {
        let (granted, offered) = (self.grants.client, self.context.offered());
        Offered {
            elicit: granted.elicit && offered.elicit,
            sample: granted.sample && offered.sample,
            roots: granted.roots && offered.roots,
        }
    }

    fn check(&self, questions: Vec<(String, Question)>) -> Result<Vec<(String, Asked)>, Failure> {
        let invalid = |message: String| (ErrorKind::InvalidArgument, message);
        let count = questions.len();
        let keys: BTreeSet<String> = questions.iter().map(|(key, _)| key.clone()).collect();
        if count == 0 || count > MAX_QUESTIONS {
            let message = format!("{count} questions at once; ask between 1 and {MAX_QUESTIONS}");
            return Err(invalid(message));
        }
        if keys.len() < count || keys.iter().any(|key| key.is_empty() || key.len() > MAX_KEY) {
            let message = format!("each question needs a key of its own, of 1 to {MAX_KEY} bytes");
            return Err(invalid(message));
        }
        let checked = questions.into_iter().map(|(key, question)| {
            let asked = convert(question).map_err(invalid)?;
            self.check_grant(&asked).map(|()| (key, asked))
        });
        checked.collect()
    }

    /// Whether a question of this kind is granted.
    fn check_grant(&self, question: &Asked) -> Result<(), Failure> {
        if self.grants.client.answers(question) {
            return Ok(());
        }
        let name = match question {
            Asked::Sample(_) => "sample",
            Asked::Roots => "roots",
            _ => "elicit",
        };
        let plugin = &self.plugin;
        let message = format!(
            "`{plugin}` may not ask for that; the operator grants it by `{name} = true` in \
             `[plugin.{plugin}.grants.{}]` in `toolstile.toml`",
            Capability::Client
        );
        Err((ErrorKind::Denied, message))
    }
}

fn convert(question: Question) -> Result<Asked, String> {
    let json = |text: &str, limits| parse_json(text, limits).map_err(|error| error.to_string());
    Ok(match question {
        Question::Elicit(form) => Asked::Elicit {
            message: escape_invisible(&form.message).into_owned(),
            schema: json(&form.schema, JsonLimits::SCHEMA)?,
        },
        Question::Sample(parameters) => Asked::Sample(json(&parameters, JsonLimits::DATA)?),
        Question::Roots => Asked::Roots,
    })
}

fn give(answer: Answered) -> client::Answer {
    match answer {
        Answered::Accepted(form) => {
            client::Answer::Accepted(serde_json::Value::Object(form).to_string())
        }
        Answered::Declined => client::Answer::Declined,
        Answered::Sampled(result) => client::Answer::Sampled(result.to_string()),
        Answered::Roots(roots) => {
            let root = |root: toolstile_core::Root| Root { uri: root.uri, name: root.name };
            client::Answer::Roots(roots.into_iter().map(root).collect())
        }
        _ => client::Answer::Cancelled,
    }
}

fn size((key, question): &(String, Question)) -> usize {
    let question = match question {
        Question::Elicit(form) => form.message.len() + form.schema.len(),
        Question::Sample(parameters) => parameters.len(),
        Question::Roots => 0,
    };
    key.len() + question
}

fn kind(error: &AskError) -> ErrorKind {
    match error {
        AskError::NotOffered => ErrorKind::Unavailable,
        AskError::TimedOut => ErrorKind::TimedOut,
        _ => ErrorKind::Other,
    }
}
