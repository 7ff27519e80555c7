//! The notes of the bundled plugin as resources: what a client sees of them without
//! calling a tool.

use std::os::unix::fs::symlink;

use toolstile::CallContext;
use toolstile::core::{OfferError, Resource, ResourceBody, Resources};

use super::{Person, Place};

const CONFIG: &str = "[plugin.notes.grants.notes]\ndir = 'notes'\n";

/// The resources of a host in which nobody is asked anything.
async fn resources(place: &Place) -> std::sync::Arc<dyn Resources> {
    place.host(&Person::who_declines()).await.resources()
}

async fn listed(resources: &dyn Resources) -> Vec<Resource> {
    resources.list(&CallContext::default()).await.expect("a list")
}

async fn read(resources: &dyn Resources, uri: &str) -> Result<String, OfferError> {
    let mut contents = resources.read(uri, &CallContext::default()).await?;
    assert_eq!((contents.len(), &*contents[0].uri), (1, uri));
    match contents.remove(0).body {
        ResourceBody::Text(text) => Ok(text),
        ResourceBody::Bytes(bytes) => panic!("no text: {bytes:?}"),
    }
}

/// What the refusal of a URI says.
async fn refusal(resources: &dyn Resources, uri: &str) -> String {
    match read(resources, uri).await {
        Err(OfferError::Refused(message)) => message,
        other => panic!("{uri}: {other:?}"),
    }
}

async fn is_missing(resources: &dyn Resources, uri: &str) -> bool {
    let read = read(resources, uri).await;
    matches!(&read, Err(OfferError::NotFound(message)) if !message.contains("CANARY"))
}

#[tokio::test]
async fn notes_are_listed_in_order_and_read_as_they_are_now() {
    let place = Place::with_config(CONFIG);
    let resources = resources(&place).await;
    assert_eq!(listed(&*resources).await, []);
    let whole = format!("# Peas\r\n{}\0\u{feff}", "é".repeat(20_000));
    place.write("notes/plans/spring.md", &whole);
    place.write("notes/TODO", "");
    let listing = listed(&*resources).await;
    let found: Vec<_> = listing
        .iter()
        .map(|note| (&*note.uri, &*note.name, note.mime_type.as_deref().unwrap_or_default()))
        .collect();
    let expected = [
        ("note:///TODO", "TODO", "text/plain"),
        ("note:///plans/spring.md", "plans/spring.md", "text/markdown"),
    ];
    assert_eq!(found, expected);
    assert_eq!(read(&*resources, "note:///plans/spring.md").await.expect("a note"), whole);
    assert_eq!(read(&*resources, "note:///TODO").await.expect("a note"), "");
    place.write("notes/TODO", "sow");
    assert_eq!(read(&*resources, "note:///TODO").await.expect("a note"), "sow");
    std::fs::remove_file(place.path("notes/TODO")).expect("it was there");
    assert!(is_missing(&*resources, "note:///TODO").await);
    assert_eq!(listed(&*resources).await.len(), 1);
    assert_eq!(resources.templates()[0].uri_template, "note:///{+path}");
}

#[tokio::test]
async fn every_name_has_a_uri_that_leads_back_to_it() {
    let place = Place::with_config(CONFIG);
    let resources = resources(&place).await;
    // 1024 bytes, the most that a path has, and almost three times as many in the URI.
    let long = vec!["ж".repeat(102); 5].join("/");
    for name in ["%2e%2e", "%00", "100%.md", "..a/ b", "a&b=c;d", "c#[1]", "@x", "Ünï.md", &long]
    {
        place.write(&format!("notes/{name}"), name);
    }
    let listing = listed(&*resources).await;
    assert_eq!(listing.len(), 9, "{listing:?}");
    for note in listing {
        assert!(note.uri.is_ascii(), "{}", note.uri);
        assert_eq!(read(&*resources, &note.uri).await.expect("a note"), note.name);
    }
}

#[tokio::test]
async fn a_uri_that_names_no_note_is_not_found() {
    let place = Place::with_config(CONFIG);
    let resources = resources(&place).await;
    place.write("secret.md", "CANARY");
    place.write("notes/a.md", "here");
    for uri in [
        "note:///b.md",
        "note:///../secret.md",
        "note:///%2e%2e/secret.md",
        "note:///..%2Fsecret.md",
        "note:///./a.md",
        "note:////a.md",
        "note:///a.md/",
        "note:///a.md?",
        "note:///a.md#",
        "note:///a.md%00",
        "note:///a%E2%80%AE.md",
        "note:///%ff",
        "note:///.git",
        "note:///CON",
        "note:///",
        "note://a.md",
        "file:///a.md",
        "",
    ] {
        assert!(is_missing(&*resources, uri).await, "{uri:?}");
    }
    assert_eq!(read(&*resources, "note:///%61.md").await.expect("a note"), "here");
}

#[tokio::test]
async fn what_is_no_plain_note_is_refused_and_spoils_nothing() {
    let place = Place::with_config(&format!("{CONFIG}max_file_bytes = 100\n"));
    let resources = resources(&place).await;
    place.write("secret.md", "CANARY");
    place.write("notes/good.md", "good");
    place.write("notes/large.md", "x".repeat(101));
    place.write("notes/bytes.md", b"\xff");
    place.write("notes/.hidden", "CANARY");
    place.write("notes/a\u{202e}b", "CANARY");
    symlink(place.path("secret.md"), place.path("notes/soft.md")).expect("a link");
    symlink(place.path(""), place.path("notes/up")).expect("a link");
    std::fs::hard_link(place.path("secret.md"), place.path("notes/hard.md")).expect("a link");
    let listing = listed(&*resources).await;
    let names: Vec<&str> = listing.iter().map(|note| &*note.name).collect();
    assert_eq!(names, ["bytes.md", "good.md", "large.md"]);
    let directory = place.directory.path().to_str().expect("UTF-8");
    for (uri, expected) in [
        ("note:///large.md", "at most 100 bytes"),
        ("note:///bytes.md", "is not UTF-8 text"),
        ("note:///soft.md", "is no note"),
        ("note:///hard.md", "has another name as well"),
    ] {
        let message = refusal(&*resources, uri).await;
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains(directory) && !message.contains("CANARY"), "{message}");
    }
    assert!(is_missing(&*resources, "note:///up/secret.md").await);
    assert_eq!(read(&*resources, "note:///good.md").await.expect("a note"), "good");
}

#[tokio::test]
async fn without_a_grant_there_is_nothing() {
    for config in ["", "[permissions]\ndeny = ['notes']\n[plugin.notes.grants.notes]\ndir = 'n'\n"]
    {
        let place = Place::with_config(config);
        place.write("notes/a.md", "CANARY");
        let resources = resources(&place).await;
        assert_eq!(listed(&*resources).await, [], "{config}");
        let read = read(&*resources, "note:///a.md").await.expect_err("nothing is granted");
        let refused = config.is_empty() && read.to_string().contains("[plugin.notes.grants.notes]");
        let missing = !config.is_empty() && matches!(read, OfferError::NotFound(_));
        assert!(refused || missing, "{config}: {read}");
    }
}

#[tokio::test]
async fn where_a_person_is_asked_about_every_read_none_is_a_resource() {
    let place = Place::with_config(&format!("[plugin.notes]\nconfirm = 'always'\n{CONFIG}"));
    let resources = resources(&place).await;
    place.write("notes/a.md", "CANARY");
    assert_eq!(listed(&*resources).await, []);
    assert!(read(&*resources, "note:///a.md").await.is_err());
}

#[tokio::test]
async fn a_secret_in_a_note_is_not_shown() {
    let secret = "[secrets]\ntavily = { file = 'key' }\n";
    let place = Place::with_config(&format!("{secret}{CONFIG}"));
    place.write("key", "tvly-CANARY");
    let resources = resources(&place).await;
    place.write("notes/a.md", "the key is tvly-CANARY.");
    let read = read(&*resources, "note:///a.md").await;
    assert_eq!(read.expect("a note"), "the key is [secret tavily].");
}
