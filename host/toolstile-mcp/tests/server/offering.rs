//! Resources and prompts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use toolstile_core::{
    CallContext, CompletionOf, OfferError, Prompt, PromptArgument, PromptContent, PromptDefinition,
    PromptMessage, PromptRole, Prompts, Resource, ResourceBody, ResourceContent, ResourceTemplate,
    Resources,
};
use toolstile_mcp::server::{McpServer, Served};

use crate::support::{Client, ERAS, Era, executor, server};

/// One resource, whose content is a number.
#[derive(Debug, Default)]
struct Counter(AtomicU64);

const URI: &str = "count://now";

#[async_trait]
impl Resources for Counter {
    async fn list(&self, _: &CallContext) -> Result<Vec<Resource>, OfferError> {
        let (title, description, mime_type) = (None, None, Some("text/plain".into()));
        Ok(vec![Resource { uri: URI.into(), name: "now".into(), title, description, mime_type }])
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    async fn read(&self, uri: &str, _: &CallContext) -> Result<Vec<ResourceContent>, OfferError> {
        if uri != URI {
            return Err(OfferError::NotFound(format!("there is no `{uri}`")));
        }
        let body = ResourceBody::Text(self.0.load(Ordering::SeqCst).to_string());
        Ok(vec![ResourceContent { uri: uri.into(), mime_type: Some("text/plain".into()), body }])
    }
}

/// One prompt, which greets.
#[derive(Debug)]
struct Greeting;

#[async_trait]
impl Prompts for Greeting {
    fn list(&self) -> Vec<PromptDefinition> {
        let name =
            PromptArgument { name: "name".into(), title: None, description: None, required: true };
        let (title, description) = (None, Some("Greets.".into()));
        vec![PromptDefinition { name: "greet".into(), title, description, arguments: vec![name] }]
    }

    async fn get(
        &self,
        _: &str,
        arguments: Vec<(String, String)>,
        _: &CallContext,
    ) -> Result<Prompt, OfferError> {
        let Some((_, name)) = arguments.first() else {
            return Err(OfferError::Refused("the argument `name` is missing".into()));
        };
        let content = PromptContent::Text(format!("Hello, {name}!"));
        let messages = vec![PromptMessage { role: PromptRole::User, content }];
        Ok(Prompt { description: None, messages })
    }

    async fn complete(
        &self,
        of: CompletionOf,
        argument: &str,
        value: &str,
        _: Vec<(String, String)>,
        _: &CallContext,
    ) -> Result<Vec<String>, OfferError> {
        assert_eq!((of, argument), (CompletionOf::Prompt("greet".into()), "name"));
        Ok(vec![format!("{value}a")])
    }
}

fn offering() -> (McpServer, Arc<Counter>) {
    let counter = Arc::new(Counter::default());
    let served = Served {
        executor: executor(vec![]),
        resources: Some(counter.clone()),
        prompts: Some(Arc::new(Greeting)),
    };
    (server(served), counter)
}

async fn asked(era: Era, method: &str, parameters: Value) -> Value {
    let (server, _) = offering();
    Client::connect(&server, era, json!({})).await.request(method, parameters).await
}

#[tokio::test]
async fn a_resource_is_listed_and_read() {
    for era in ERAS {
        let listed = asked(era, "resources/list", json!({})).await;
        let resource = json!({"uri": URI, "name": "now", "mimeType": "text/plain"});
        assert_eq!(listed["result"]["resources"], json!([resource]));
        let read = asked(era, "resources/read", json!({"uri": URI})).await;
        assert_eq!(
            read["result"]["contents"],
            json!([{"uri": URI, "mimeType": "text/plain", "text": "0"}])
        );
    }
}

#[tokio::test]
async fn a_resource_that_is_not_there_has_the_code_of_its_era() {
    for (era, code) in [(Era::Handshake, -32002), (Era::Stateless, -32602)] {
        let answer = asked(era, "resources/read", json!({"uri": "count://never"})).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(answer["error"]["data"], json!({"uri": "count://never"}));
    }
}

#[tokio::test]
async fn a_prompt_is_filled_in_and_completed() {
    for era in ERAS {
        let got = json!({"name": "greet", "arguments": {"name": "Ada"}});
        let got = asked(era, "prompts/get", got).await;
        let content = json!({"type": "text", "text": "Hello, Ada!"});
        assert_eq!(got["result"]["messages"], json!([{"role": "user", "content": content}]));
        let missing = asked(era, "prompts/get", json!({"name": "greet"})).await;
        assert_eq!(missing["error"]["code"], -32602, "{missing}");
        let completed = asked(
            era,
            "completion/complete",
            json!({
                "ref": {"type": "ref/prompt", "name": "greet"},
                "argument": {"name": "name", "value": "Ad"},
            }),
        );
        assert_eq!(completed.await["result"]["completion"]["values"], json!(["Ada"]));
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_subscribed_is_told_of_an_update() {
    for era in ERAS {
        let (server, counter) = offering();
        let mut client = Client::connect(&server, era, json!({})).await;
        match era {
            Era::Handshake => {
                client.request("resources/subscribe", json!({"uri": URI})).await;
            }
            Era::Stateless => {
                let filter = json!({"notifications": {"resourceSubscriptions": [URI]}});
                client.begin("subscriptions/listen", filter).await;
                client.await_method("notifications/subscriptions/acknowledged").await;
            }
        }
        // What it was is read before the next look at it.
        tokio::time::sleep(Duration::from_secs(1)).await;
        counter.0.store(1, Ordering::SeqCst);
        let told = client.await_method("notifications/resources/updated").await;
        assert_eq!(told["params"]["uri"], URI, "{era:?}");
    }
}
