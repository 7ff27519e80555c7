//! Tools that come and go while a host runs, and many calls at the same time.

use std::sync::Arc;

use tokio::sync::Barrier;
use toolstile::{FunctionTool, Host, HostError, OnConflict, RegistryError, Tool};

use super::{Nothing, builder, constant, host};

fn batch(tools: &[(&str, &'static str)]) -> Vec<Arc<dyn Tool>> {
    tools.iter().map(|(name, answer)| Arc::new(constant(name, answer)) as Arc<dyn Tool>).collect()
}

/// What each tool answers, in order of registration.
async fn answers(host: &Host) -> Vec<String> {
    let mut answers = Vec::new();
    for tool in host.tools(None) {
        answers.push(host.call(tool.name().as_str(), "{}").await.response().text);
    }
    answers
}

#[tokio::test]
async fn a_taken_name_is_a_conflict_that_names_its_holder() {
    let host = host(constant("a", "first")).await;
    let refused = host.register(constant("a", "second")).unwrap_err();
    assert_eq!(refused.to_string(), "the name `a` is taken by a tool of origin `native`");
    assert_eq!(answers(&host).await, ["first"]);
    let twice = builder().tool(constant("a", "1")).tool(constant("a", "2")).build().await;
    assert!(matches!(twice, Err(HostError::Registry(RegistryError::Conflict { .. }))));
}

#[tokio::test]
async fn a_batch_is_registered_whole_or_not_at_all() {
    let new = || batch(&[("b", "new b"), ("a", "new a"), ("c", "new c")]);
    for (mode, registered, expected) in [
        (OnConflict::Error, None, &["old a"][..]),
        (OnConflict::Skip, Some(&["b", "c"][..]), &["old a", "new b", "new c"]),
        (OnConflict::Overwrite, Some(&["b", "a", "c"]), &["new a", "new b", "new c"]),
    ] {
        let host = host(constant("a", "old a")).await;
        let names = host.register_all(new(), mode).ok();
        let names: Option<Vec<String>> = names.map(|n| n.iter().map(ToString::to_string).collect());
        assert_eq!(
            names.as_deref().map(|n| n.iter().map(String::as_str).collect::<Vec<_>>()),
            registered.map(<[_]>::to_vec)
        );
        assert_eq!(answers(&host).await, expected, "{mode:?}");
    }
}

#[tokio::test]
async fn what_was_removed_is_unknown_and_its_name_is_free() {
    let host = host(constant("a", "1")).await;
    host.register_all(batch(&[("b", "2"), ("c", "3")]), OnConflict::Error).unwrap();
    assert_eq!(host.unregister("b").unwrap().name().as_str(), "b");
    assert!(host.unregister("b").is_none());
    assert_eq!(answers(&host).await, ["1", "3"]);
    assert_eq!(host.call("b", "{}").await.record.reason, Some("unknown_tool"));
    host.register(constant("b", "again")).unwrap();
    assert_eq!(answers(&host).await, ["1", "3", "again"]);
}

#[tokio::test]
async fn a_call_that_runs_keeps_its_tool() {
    let barrier = Arc::new(Barrier::new(2));
    let inside = Arc::clone(&barrier);
    let waiting = FunctionTool::new("a", "", move |_: Nothing| {
        let inside = Arc::clone(&inside);
        async move {
            inside.wait().await;
            inside.wait().await;
            "done"
        }
    });
    let host = host(waiting.unwrap()).await;
    let replace = async {
        barrier.wait().await;
        host.unregister("a").unwrap();
        host.register(constant("a", "other")).unwrap();
        barrier.wait().await;
    };
    let (completion, ()) = tokio::join!(host.call("a", "{}"), replace);
    assert_eq!(completion.response().text, "done");
    assert_eq!(host.call("a", "{}").await.response().text, "other");
}

#[tokio::test]
async fn a_hundred_calls_run_at_once() {
    const CALLS: usize = 100;
    // Each call waits for all the others, so that none ends unless all have begun.
    let barrier = Arc::new(Barrier::new(CALLS));
    let meet = FunctionTool::new("meet", "", move |_: Nothing| {
        let barrier = Arc::clone(&barrier);
        async move { barrier.wait().await.is_leader().to_string() }
    });
    let host = host(meet.unwrap()).await;
    let call = |_| {
        let host = host.clone();
        tokio::spawn(async move { host.call("meet", "{}").await.response().text })
    };
    let calls: Vec<_> = (0..CALLS).map(call).collect();
    let mut leaders = 0;
    for call in calls {
        leaders += usize::from(call.await.unwrap() == "true");
    }
    assert_eq!(leaders, 1);
}

#[tokio::test]
async fn clones_of_a_host_share_their_tools() {
    let host = host(constant("a", "1")).await;
    host.clone().register(constant("b", "2")).unwrap();
    assert_eq!(answers(&host).await, ["1", "2"]);
}
