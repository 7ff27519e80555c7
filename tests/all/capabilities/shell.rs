//! The bundled `shell`, and a plugin that uses the interface as it likes.

use serde_json::json;
use toolstile::Status;

use super::{Person, Place, refusal, text};

const CONFIG: &str = "
    [plugin.shell.grants.shell]
    dir = 'work'
    programs = ['ls', 'cat', 'grep', 'sleep', 'sh']
    timeout_ms = 1500
    [plugin.reach]
    confirm = 'never'
    [plugin.reach.grants.shell]
    dir = 'work'
    programs = ['ls', 'cat', 'touch', 'printenv']
";

fn place(config: &str) -> Place {
    let place = Place::with_config(config);
    place.write("work/a.txt", "one\ntwo\n");
    place.write("secret.txt", "CANARY");
    place
}

#[tokio::test]
async fn a_person_sees_the_words_and_then_they_run() {
    let place = place(CONFIG);
    let person = Person::who_approves();
    let host = place.host(&person).await;
    let completion = host.call("shell", json!({"command": "grep -n 'two' a.txt"})).await;
    let response = completion.response();
    assert!(response.text.contains("2:two"), "{}", response.text);
    assert_eq!(response.data.unwrap()["exit_code"], 0);
    assert!(completion.model_text().starts_with("[external content "));
    let shown = person.take_shown();
    let words = "    \"grep\"\n    \"-n\"\n    \"two\"\n    \"a.txt\"";
    assert!(shown[0].contains(words), "{shown:?}");
}

#[tokio::test]
async fn what_is_not_listed_is_refused_before_anybody_is_asked() {
    let place = place(CONFIG);
    let person = Person::who_approves();
    let host = place.host(&person).await;
    for command in [
        "rm -rf .",
        "git status",
        "ls; rm a.txt",
        "cat a.txt > b.txt",
        "ls $(rm a.txt)",
        "cat --output=b.txt a.txt",
        "sh -c 'rm a.txt'",
        "FOO=1 ls",
        "./ls",
        "",
    ] {
        let (gate, message) = refusal(&host.call("shell", json!({"command": command})).await);
        assert_eq!(gate, "schema", "{command}: {message}");
        assert!(message.contains("/command: "), "{command}: {message}");
        let inside = text(&host, "reach_run", json!({"command": command})).await;
        assert!(!inside.starts_with("exited"), "{command}: {inside}");
    }
    let (_, message) = refusal(&host.call("shell", json!({"command": "rm a.txt"})).await);
    assert!(
        message.contains("grep") && message.contains("ls"),
        "it says what is allowed: {message}"
    );
    assert_eq!(person.take_shown(), Vec::<String>::new());
    assert!(place.path("work/a.txt").exists());
}

#[tokio::test]
async fn plain_reads_run_unasked_only_where_the_operator_says_so() {
    let place = place(&CONFIG.replace(
        "[plugin.shell.grants",
        "[plugin.shell]\nconfirm = 'never'\n[plugin.shell.grants",
    ));
    let person = Person::who_declines();
    let host = place.host(&person).await;
    let read = host.call("shell", json!({"command": "cat a.txt"})).await;
    assert!(read.response().text.contains("one"), "{}", read.model_text());
    assert_eq!(person.take_shown(), Vec::<String>::new());
    // What is no plain read is asked about all the same.
    for command in ["cat ../secret.txt", "sleep 0", "sh script.sh"] {
        let (gate, message) = refusal(&host.call("shell", json!({"command": command})).await);
        assert_eq!(gate, "confirm", "{command}: {message}");
        assert_eq!(person.take_shown().len(), 1, "{command}");
    }
}

#[tokio::test]
async fn a_plugin_cannot_run_unseen_what_needs_a_person() {
    let place = place(CONFIG);
    let host = place.host(&Person::who_approves()).await;
    let read = text(&host, "reach_run", json!({"command": "cat a.txt"})).await;
    assert_eq!(read, "exited 0: one\ntwo\n");
    for words in [vec!["touch", "b.txt"], vec!["cat", "../secret.txt"], vec!["printenv"]] {
        let answer = host.call("reach_words", json!({"words": words})).await.response();
        assert_eq!(answer.status, Status::Error);
        assert!(answer.text.contains("confirmation"), "{words:?}: {}", answer.text);
    }
    assert!(!place.path("work/b.txt").exists());
}

#[tokio::test]
async fn time_runs_out_and_what_was_written_is_kept() {
    let place = place(CONFIG);
    place.write("work/slow.sh", "echo started; sleep 60; echo never");
    let host = place.host(&Person::who_approves()).await;
    let started = std::time::Instant::now();
    let response = host.call("shell", json!({"command": "sh slow.sh"})).await.response();
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
    assert_eq!(response.status, Status::Error);
    assert!(
        response.text.contains("started") && !response.text.contains("never"),
        "{}",
        response.text
    );
}

#[tokio::test]
async fn what_a_program_may_do_is_bounded_by_the_system_too() {
    if !toolstile::sandbox_support().files() {
        return skipped("this kernel has no Landlock");
    }
    let place = place(CONFIG);
    place.write("work/write.sh", "echo x > PWNED; cat ../secret.txt; echo done");
    let host = place.host(&Person::who_approves()).await;
    let response = host.call("shell", json!({"command": "sh write.sh"})).await.response();
    assert!(
        response.text.contains("done") && !response.text.contains("CANARY"),
        "{}",
        response.text
    );
    assert!(!place.path("work/PWNED").exists());
}

#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn skipped(why: &str) {
    println!("skipped: {why}");
}

#[tokio::test]
async fn without_a_grant_the_refusal_names_the_line_that_grants() {
    let place = Place::with_config("");
    let host = place.host(&Person::who_approves()).await;
    for (tool, arguments, line) in [
        ("shell", json!({"command": "ls"}), "[plugin.shell.grants.shell]"),
        ("notes", json!({"action": "read", "path": "a"}), "[plugin.notes.grants.notes]"),
    ] {
        let (gate, message) = refusal(&host.call(tool, arguments).await);
        assert_eq!(gate, "schema");
        assert!(message.contains(line), "{message}");
    }
}
