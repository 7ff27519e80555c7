//! What policies say about a call before anybody is asked.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolstile::Outlook;

use super::{Person, Place};

const CONFIG: &str = "
    [plugin.shell]
    confirm = 'never'
    [plugin.shell.grants.shell]
    dir = '.'
    programs = ['ls', 'cat', 'sh']
    [plugin.notes.grants.notes]
    dir = 'notes'
    access = 'read-append'
    [permissions]
    deny = ['search']
";

#[tokio::test]
async fn every_gate_says_what_it_would_decide_and_nothing_runs() {
    let place = Place::with_config(CONFIG);
    place.write("a.txt", "x");
    place.write("s.sh", "touch PWNED");
    let person = Person::who_approves();
    let host = place.host(&person).await;
    for (tool, arguments, verdict, gate) in [
        ("shell", json!({"command": "cat a.txt"}), Outlook::Allow, "capabilities"),
        ("shell", json!({"command": "sh s.sh"}), Outlook::Confirm, "confirm"),
        ("shell", json!({"command": "sh -c 'touch PWNED'"}), Outlook::Deny, "schema"),
        ("shell", json!({"comand": "ls"}), Outlook::Deny, "schema"),
        ("notes", json!({"action": "read", "path": "a"}), Outlook::Allow, "capabilities"),
        (
            "notes",
            json!({"action": "append", "path": "a", "content": "x"}),
            Outlook::Confirm,
            "confirm",
        ),
        ("notes", json!({"action": "read", "path": "../a"}), Outlook::Deny, "schema"),
        ("search", json!({"query": "x"}), Outlook::Deny, "permissions"),
        ("nothing", json!({}), Outlook::Deny, "registry"),
    ] {
        let explanation = host.explain(tool, arguments.clone());
        assert_eq!(explanation.verdict, verdict, "{tool} {arguments}: {explanation:?}");
        let decisive = explanation.gates.iter().rev().find(|g| g.decision == verdict).unwrap();
        assert_eq!(decisive.gate.as_str(), gate, "{tool} {arguments}: {explanation:?}");
        assert!(explanation.gates.iter().all(|gate| !gate.reason.is_empty()));
    }
    assert_eq!(person.take_shown(), Vec::<String>::new());
    assert!(!place.path("PWNED").exists() && !place.path("notes/a").exists());
}

#[tokio::test]
async fn the_json_form_is_verdict_and_gates() {
    let host = Place::with_config(CONFIG).host(&Person::who_declines()).await;
    let explanation = host.explain("shell", json!({"command": "ls"}));
    let value: Value = serde_json::to_value(&explanation).unwrap();
    assert_eq!(value["verdict"], "allow");
    let gates = value["gates"].as_array().unwrap();
    let names: Vec<&str> = gates.iter().map(|gate| gate["gate"].as_str().unwrap()).collect();
    assert_eq!(names, ["registry", "permissions", "schema", "confirm", "capabilities"]);
    for gate in gates {
        let keys: BTreeSet<&str> = gate.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["decision", "gate", "reason"].into());
    }
    let schema = gates[2]["reason"].as_str().unwrap();
    assert!(schema.contains("ls"), "it names the rule: {schema}");
}

#[tokio::test]
async fn the_rules_are_checked_on_demand() {
    let place = Place::with_config(CONFIG);
    let problems = toolstile::check_policy(&place.config).await.unwrap();
    assert_eq!(problems, [], "the shipped rules hold");
    let mut broken = Place::with_config(CONFIG);
    broken.write(
        "mine.toml",
        "[ls]\noptions = ['-l']\nexamples.allow = ['ls --nonsense']\n[unlisted]\noptions = []\n",
    );
    let shell = broken.config.plugin.get_mut("shell").unwrap();
    shell.grants.shell.as_mut().unwrap().profiles = vec!["mine.toml".into()];
    let problems = toolstile::check_policy(&broken.config).await.unwrap();
    let text = format!("{problems:?}");
    assert!(text.contains("ls --nonsense"), "an example that does not hold: {text}");
    assert!(text.contains("unlisted"), "a rule that can never apply: {text}");
}
