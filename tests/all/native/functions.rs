//! What a function receives, what it may answer, and what becomes of its panics.

use std::convert::Infallible;

use serde_json::{Value, json};
use toolstile::{
    FailureKind, FunctionError, FunctionTool, Json, Origin, Status, Stop, ToolResponse,
};

use super::{Greeting, Nothing, constant, greet, host};

#[tokio::test]
async fn an_async_function_gets_its_arguments_with_defaults_filled_in() {
    let host = host(greet()).await;
    for (arguments, expected) in [
        (r#"{"name":"Ada"}"#, "hello Ada; "),
        (r#"{"name":"Ada","times":2}"#, "hello Ada; hello Ada; "),
        (r#"{"name":"Ada","times":null,"loud":null}"#, "hello Ada; "),
        (r#"{"name":"Ada","loud":true}"#, "HELLO ADA; "),
        (r#"{"name":"Ada","times":2.0}"#, "hello Ada; hello Ada; "),
    ] {
        let response = host.call("greet", arguments).await.response();
        assert_eq!((response.text.as_str(), response.status), (expected, Status::Success));
    }
}

#[tokio::test]
async fn the_defaults_are_the_hosts_not_the_functions() {
    let echo = FunctionTool::new("echo", "", async |greeting: Greeting| Json(greeting)).unwrap();
    let host = host(echo).await;
    let completion = host.call("echo", r#"{"name":"x"}"#).await;
    let expected = json!({"name": "x", "times": 1, "loud": null});
    assert_eq!(completion.response().data, Some(expected));
    let digest = toolstile::core::sha256_hex(br#"{"name":"x","times":1}"#);
    let audited = completion.record.arguments_sha256;
    assert!(audited.is_none_or(|audited| audited == digest));
}

#[tokio::test]
async fn a_blocking_function_does_not_hold_up_the_others() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let receiver = std::sync::Mutex::new(receiver);
    // Ends only when the other tool has run, on the one thread of this test.
    let wait = move |_: Nothing| receiver.lock().unwrap().recv().map(|()| "released");
    let host = host(FunctionTool::blocking("wait", "", wait).unwrap()).await;
    let release = move |_: Nothing| std::future::ready(sender.send(()).map(|()| "sent"));
    host.register(FunctionTool::new("release", "", release).unwrap()).unwrap();
    let (waited, released) = tokio::join!(host.call("wait", ""), host.call("release", ""));
    assert_eq!(
        (waited.response().text, released.response().text),
        ("released".into(), "sent".into())
    );
}

#[tokio::test]
async fn every_kind_of_answer_becomes_a_response() {
    let answers: [(FunctionTool, ToolResponse); 6] = [
        (tool(|| "text"), ToolResponse::success("text")),
        (tool(|| "text".to_owned()), ToolResponse::success("text")),
        (
            tool(|| json!({"b": 1, "a": [true, null]})),
            ToolResponse::success(r#"{"b":1,"a":[true,null]}"#)
                .with_data(json!({"b": 1, "a": [true, null]})),
        ),
        (tool(|| Json((1, "x"))), ToolResponse::success(r#"[1,"x"]"#).with_data(json!([1, "x"]))),
        (tool(|| ToolResponse::partial("half")), ToolResponse::partial("half")),
        (tool(|| Err::<Value, _>("no such thing")), ToolResponse::error("no such thing")),
    ];
    for (tool, expected) in answers {
        assert_eq!(host(tool).await.call("tool", "{}").await.response(), expected);
    }
    let fine = tool(|| Ok::<_, Infallible>(Json(1.5)));
    assert_eq!(host(fine).await.call("tool", "").await.response().data, Some(json!(1.5)));
}

fn tool<R: toolstile::IntoToolResponse + Send + 'static>(
    answer: impl Fn() -> R + Send + Sync + 'static,
) -> FunctionTool {
    FunctionTool::new("tool", "", move |_: Nothing| std::future::ready(answer())).expect("a tool")
}

#[tokio::test]
async fn a_panic_costs_its_call_and_nothing_else() {
    let in_future = FunctionTool::new("panic", "", async |nothing: Nothing| -> String {
        let Nothing {} = nothing;
        panic!("secret detail")
    });
    let before_future =
        FunctionTool::new("panic", "", |_: Nothing| -> std::future::Ready<String> {
            panic!("secret detail")
        });
    let blocking =
        FunctionTool::blocking("panic", "", |_: Nothing| -> String { panic!("secret detail") });
    for tool in [in_future, before_future, blocking] {
        let host = host(tool.unwrap()).await;
        host.register(constant("other", "alive")).unwrap();
        for _ in 0..3 {
            let completion = host.call("panic", "{}").await;
            let Err(Stop::Failed(error)) = &completion.result else { panic!("{completion:?}") };
            assert_eq!(error.kind, FailureKind::Crash);
            assert!(error.detail.contains("secret detail"), "{}", error.detail);
            let shown = completion.model_text();
            assert_eq!(shown, "Error: the tool `panic` gave no answer: it crashed");
        }
        assert_eq!(host.call("other", "{}").await.response().text, "alive");
    }
}

#[tokio::test]
async fn the_type_accepts_less_than_its_schema_says() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Narrow {
        #[schemars(with = "String")]
        n: u8,
    }
    let tool = FunctionTool::new("narrow", "", async |narrow: Narrow| narrow.n.to_string());
    let response = host(tool.unwrap()).await.call("narrow", r#"{"n":"x"}"#).await.response();
    assert_eq!(response.status, Status::Error);
    assert!(response.text.starts_with("the arguments do not fit: "), "{}", response.text);
}

#[test]
fn what_is_no_tool_says_why() {
    let name = FunctionTool::new("a b", "", async |_: Nothing| "").unwrap_err();
    assert_eq!(
        name.to_string(),
        "the tool name \"a b\" contains ' '; names consist of `a-z A-Z 0-9 _ -`, for example `a_b`"
    );
    let no_object = FunctionTool::new("a", "", async |_: Vec<u8>| "").unwrap_err();
    assert!(matches!(no_object, FunctionError::Schema { .. }));
    assert_eq!(no_object.to_string(), "the schema of the arguments of `a` is refused");
}

#[tokio::test]
async fn the_origin_is_native() {
    let host = host(greet()).await;
    host.register(constant("later", "x")).unwrap();
    let tools = host.tools(None);
    assert!(tools.iter().all(|tool| tool.origin == Origin::Native));
    assert_eq!(host.call("greet", r#"{"name":"x"}"#).await.record.origin, Some(Origin::Native));
}
