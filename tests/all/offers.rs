//! What a plugin offers beside tools, and what it asks whoever called: resources, prompts,
//! and questions in the middle of a call.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolstile::core::{
    Answer, AskError, Caller, CompletionOf, OfferError, Offered, PromptContent, Prompts as _,
    Question, ResourceBody, Resources as _, Root,
};
use toolstile::{Attachment, Call, CallContext, Completion, Host, LoadedPlugin, Status};
use toolstile_tests::PluginDir;

use crate::hostile::guests;

const GRANTS: &str = "
    [plugin.suite]
    confirm = 'never'
    [plugin.suite.grants.client]
    elicit = true
    sample = true
    roots = true
";

async fn host(config: &str) -> Host {
    PluginDir::with([("suite", guests::CONFORMANCE)]).host(config).await
}

async fn suite() -> LoadedPlugin {
    let host = host("").await;
    assert!(host.quarantined().is_empty(), "{:?}", host.quarantined());
    host.plugins().remove(0)
}

fn nobody() -> CallContext {
    CallContext::default()
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let resources = suite().await.plugin.resources.expect("it has some");
    let listed = resources.list(&nobody()).await.expect("a list");
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    let expected = ["test://static-text", "test://static-binary", "test://watched-resource"];
    assert_eq!(uris, expected);
    let templates = resources.templates();
    assert_eq!(templates[0].uri_template, "test://template/{id}/data");
    assert!(templates[0].may_be("test://template/7/data") && !templates[0].may_be("test://x"));
    let read = resources.read("test://template/7/data", &nobody()).await.expect("it is there");
    let ResourceBody::Text(text) = &read[0].body else { panic!("{read:?}") };
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON")["id"], "7");
    let binary = resources.read("test://static-binary", &nobody()).await.expect("it is there");
    assert!(matches!(&binary[0].body, ResourceBody::Bytes(bytes) if bytes.starts_with(b"\x89PNG")));
    let missing = resources.read("test://missing", &nobody()).await;
    assert!(matches!(missing, Err(OfferError::NotFound(_))), "{missing:?}");
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in() {
    let prompts = suite().await.plugin.prompts.expect("it has some");
    assert_eq!(prompts.list().len(), 5);
    let words = |words: &[(&str, &str)]| -> Vec<(String, String)> {
        words.iter().map(|(name, word)| ((*name).to_owned(), (*word).to_owned())).collect()
    };
    let name = "test_prompt_with_arguments";
    let given = words(&[("arg1", "a"), ("arg2", "b")]);
    let prompt = prompts.get(name, given, &nobody()).await.expect("a prompt");
    let text = PromptContent::Text("Prompt with arguments: arg1='a', arg2='b'".into());
    assert_eq!(prompt.messages[0].content, text);
    let prompt = prompts.get("test_prompt_with_image", Vec::new(), &nobody()).await.expect("one");
    let content = &prompt.messages[0].content;
    assert!(matches!(content, PromptContent::Attachment(Attachment::Image { .. })), "{content:?}");
    for (name, given, expected) in [
        (name, words(&[("arg1", "a")]), "needs the argument `arg2`"),
        (name, words(&[("arg1", "a"), ("arg2", "b"), ("arg3", "c")]), "has no argument `arg3`"),
        ("missing", Vec::new(), "there is no prompt `missing`"),
    ] {
        let error = prompts.get(name, given, &nobody()).await.expect_err("refused").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let of = CompletionOf::Prompt(name.into());
    let completed = prompts.complete(of, "arg1", "par", Vec::new(), &nobody()).await;
    assert_eq!(completed.expect("an answer"), ["paris", "park", "party"]);
}

#[tokio::test]
async fn a_secret_is_taken_out_of_a_prompt() {
    let host = host("[secrets]\nkey = { command = ['echo', 'CANARY-1'] }\n").await;
    let given = [("arg1", "CANARY-1"), ("arg2", "b")];
    let given = given.map(|(name, word)| (name.to_owned(), word.to_owned())).into();
    let prompt = host.prompts().get("test_prompt_with_arguments", given, &nobody()).await;
    let content = &prompt.expect("a prompt").messages[0].content;
    let text = PromptContent::Text("Prompt with arguments: arg1='[secret key]', arg2='b'".into());
    assert_eq!(*content, text);
}

#[tokio::test]
async fn a_plugin_without_them_offers_nothing() {
    let host = PluginDir::with([("a", guests::NEIGHBOUR)]).host("").await;
    let plugin = host.plugins().remove(0).plugin;
    assert!(plugin.resources.is_none() && plugin.prompts.is_none());
}

/// Answers every question, and keeps what it was asked.
#[derive(Debug, Default)]
struct Client {
    offered: Offered,
    asked: Mutex<Vec<String>>,
}

impl Client {
    fn offering(offered: Offered) -> Arc<Self> {
        Arc::new(Self { offered, ..Self::default() })
    }
}

#[async_trait]
impl Caller for Client {
    fn offered(&self) -> Offered {
        self.offered
    }

    async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<(String, Answer)>, AskError> {
        let mut asked = self.asked.lock().expect("not poisoned");
        asked.extend(questions.iter().map(|(key, _)| key.clone()));
        if !questions.iter().all(|(_, question)| self.offered.answers(question)) {
            return Err(AskError::NotOffered);
        }
        let answer = |question: Question| match question {
            Question::Elicit { .. } => {
                let form = json!({"name": "Ada", "color": "blue"});
                Answer::Accepted(form.as_object().expect("an object").clone())
            }
            Question::Sample(_) => Answer::Sampled(json!({"content": {"text": "Paris"}})),
            _ => Answer::Roots(vec![Root { uri: "file:///a".into(), name: None }]),
        };
        Ok(questions.into_iter().map(|(key, question)| (key, answer(question))).collect())
    }
}

async fn call(host: &Host, tool: &str, client: &Arc<Client>) -> Completion {
    let executor = host.executor().to_builder().caller(client.clone()).build();
    executor.execute(Call::new(tool, "{}")).await
}

const ALL: Offered = Offered { elicit: true, sample: true, roots: true };

#[tokio::test]
async fn a_plugin_asks_in_the_middle_of_a_call() {
    let (host, client) = (host(GRANTS).await, Client::offering(ALL));
    for (tool, expected) in [
        ("test_input_required_result_elicitation", "Hello, Ada!"),
        ("test_input_required_result_multi_round", "Ada likes blue."),
        ("test_input_required_result_multiple_inputs", "Paris, Ada; roots: file:///a"),
    ] {
        let text = call(&host, tool, &client).await.response().text;
        assert!(text.contains(expected), "{tool}: {text}");
    }
    let asked = client.asked.lock().expect("not poisoned").clone();
    assert_eq!(asked, ["user_name", "step1", "step2", "user_name", "greeting", "client_roots"]);
}

#[tokio::test]
async fn nobody_is_asked_without_a_grant_or_an_offer() {
    let tool = "test_input_required_result_elicitation";
    let client = Client::offering(ALL);
    let ungranted = call(&host("").await, tool, &client).await.response();
    let refusal = "the operator grants it by `elicit = true` in `[plugin.suite.grants.client]`";
    assert!(ungranted.text.contains(refusal), "{}", ungranted.text);
    assert!(client.asked.lock().expect("not poisoned").is_empty());
    let host = host(GRANTS).await;
    let unoffered = call(&host, tool, &Client::offering(Offered::default())).await.response();
    assert!(unoffered.text.contains("cannot be asked for that"), "{}", unoffered.text);
    let alone = host.call(tool, "{}").await.response();
    assert_eq!(alone.status, Status::Error);
    assert!(alone.text.contains("cannot be asked for that"), "{}", alone.text);
}

/// Takes its time.
#[derive(Debug)]
struct Slow;

#[async_trait]
impl Caller for Slow {
    fn offered(&self) -> Offered {
        ALL
    }

    async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<(String, Answer)>, AskError> {
        tokio::time::sleep(std::time::Duration::from_millis(1200)).await;
        Ok(questions.into_iter().map(|(key, _)| (key, Answer::Declined)).collect())
    }
}

#[tokio::test]
async fn the_time_of_an_answer_does_not_count_against_the_deadline() {
    let config = format!("{GRANTS}\n[plugin.suite.limits]\ndeadline_ms = 1000\n");
    let host = host(&config).await;
    let executor = host.executor().to_builder().caller(Arc::new(Slow)).build();
    let call = Call::new("test_input_required_result_elicitation", "{}");
    assert!(executor.execute(call).await.response().text.contains("Hello, nobody!"));
}
