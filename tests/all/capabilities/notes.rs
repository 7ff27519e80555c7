//! The bundled `notes`, and a plugin that uses the interface as it likes.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;
use toolstile::Status;

use super::{Person, Place, refusal, text};

const CONFIG: &str = "
    [plugin.notes.grants.notes]
    dir = 'notes'
    access = 'read-append'
    [plugin.reach]
    confirm = 'never'
    [plugin.reach.grants.notes]
    dir = 'notes'
    access = 'read-append'
";

#[tokio::test]
async fn reading_asks_nobody_and_appending_asks() {
    let place = Place::with_config(CONFIG);
    let person = Person::who_approves();
    let host = place.host(&person).await;
    let append = json!({"action": "append", "path": "a/b.md", "content": "first"});
    let appended = host.call("notes", append).await;
    assert_eq!(appended.response().status, Status::Success, "{}", appended.model_text());
    assert_eq!(person.take_shown().len(), 1);
    let read = host.call("notes", json!({"action": "read", "path": "a/b.md"})).await;
    assert_eq!(read.response().text, "first\n");
    assert_eq!(person.take_shown(), Vec::<String>::new());
    assert!(read.model_text().starts_with("[external content "), "{}", read.model_text());
    assert_eq!(std::fs::read_to_string(place.path("notes/a/b.md")).unwrap(), "first\n");
    let mode = |name| std::fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("notes"), mode("notes/a"), mode("notes/a/b.md")), (0o700, 0o700, 0o600));
}

#[tokio::test]
async fn a_declined_append_leaves_nothing() {
    let place = Place::with_config(CONFIG);
    let host = place.host(&Person::who_declines()).await;
    let append = json!({"action": "append", "path": "a.md", "content": "x"});
    assert_eq!(refusal(&host.call("notes", append).await).0, "confirm");
    assert!(!place.path("notes/a.md").exists());
}

#[tokio::test]
async fn a_path_that_leads_out_is_refused_before_anybody_is_asked() {
    let place = Place::with_config(CONFIG);
    place.write("secret.md", "CANARY");
    let person = Person::who_approves();
    let host = place.host(&person).await;
    for path in
        ["../secret.md", "/etc/hostname", "a/../../secret.md", "a\u{202e}b", "a\u{0}b", "CON"]
    {
        let append = json!({"action": "append", "path": path, "content": "x"});
        let (gate, message) = refusal(&host.call("notes", append).await);
        assert_eq!(gate, "schema", "{path:?}: {message}");
        assert!(message.contains("/path: "), "{message}");
        assert!(!message.contains(place.directory.path().to_str().unwrap()), "{message}");
        // The same code stands behind the import.
        let answer = text(&host, "reach_read", json!({"path": path})).await;
        assert!(!answer.contains("CANARY"), "{answer}");
    }
    assert_eq!(person.take_shown(), Vec::<String>::new());
}

#[tokio::test]
async fn links_lead_nowhere() {
    let place = Place::with_config(CONFIG);
    place.write("secret.md", "CANARY");
    let host = place.host(&Person::who_approves()).await;
    symlink(place.path("secret.md"), place.path("notes/soft.md")).unwrap();
    std::fs::hard_link(place.path("secret.md"), place.path("notes/hard.md")).unwrap();
    for path in ["soft.md", "hard.md"] {
        for tool in ["reach_read", "reach_append"] {
            let answer = host.call(tool, json!({"path": path, "content": "x"})).await.response();
            assert_eq!(answer.status, Status::Error, "{}", answer.text);
            assert!(!answer.text.contains("CANARY"), "{}", answer.text);
        }
    }
    assert_eq!(std::fs::read_to_string(place.path("secret.md")).unwrap(), "CANARY");
    assert_eq!(text(&host, "reach_list", json!({"path": ""})).await, "");
}

#[tokio::test]
async fn reading_alone_can_be_granted() {
    let place = Place::with_config(
        "[plugin.reach]\nconfirm = 'never'\n[plugin.reach.grants.notes]\ndir = 'notes'\n",
    );
    let host = place.host(&Person::who_approves()).await;
    let answer = host.call("reach_append", json!({"path": "a", "content": "x"})).await.response();
    assert_eq!(answer.status, Status::Error);
    assert!(!place.path("notes/a").exists(), "{}", answer.text);
}

#[tokio::test]
async fn a_missing_note_is_no_failure() {
    let place = Place::with_config(CONFIG);
    let host = place.host(&Person::who_declines()).await;
    let response =
        host.call("notes", json!({"action": "read", "path": "none.md"})).await.response();
    assert_eq!(response.status, Status::Success);
    assert_eq!(response.data, Some(json!({"path": "none.md", "exists": false})));
}

#[tokio::test]
async fn a_directory_that_others_can_read_keeps_the_plugin_from_being_loaded() {
    let place = Place::with_config(CONFIG);
    std::fs::create_dir(place.path("notes")).unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("notes"), open).unwrap();
    let host = place.builder().build().await.unwrap();
    let reasons = host.quarantined();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert!(reasons[0].reason.contains("[plugin.notes.grants.notes]"), "{reasons:?}");
}
