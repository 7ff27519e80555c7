//! What another client did with the same input: compared, with every difference named.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolstile_core::{Fingerprint, Namespace, Origin, Status, ToolSchema};

use super::clean::{clean, clean_schema};
use super::config::McpServerConfig;
use super::result::response;

/// Runs all cases and compares what came of them with the list of differences.
fn compare(text: &str, deliberate: &[(&str, &str)], holds: impl Fn(&Value) -> Result<(), String>) {
    let vectors: Value = serde_json::from_str(text).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    let known: BTreeSet<&str> = deliberate.iter().map(|(id, _)| *id).collect();
    let (mut differing, mut failures) = (BTreeSet::new(), Vec::new());
    for case in cases {
        let id = case["id"].as_str().unwrap();
        match holds(case) {
            Err(_) if known.contains(id) => drop(differing.insert(id)),
            Err(difference) => {
                failures.push(format!("{id} ({}): {difference}", case["description"]))
            }
            Ok(()) => {}
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(differing, known, "a listed difference is none any more");
    assert_eq!(cases.len() as u64, vectors["meta"]["count"].as_u64().unwrap());
}

fn same<T: PartialEq + std::fmt::Debug>(expected: T, found: T) -> Result<(), String> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("expected {expected:?}, found {found:?}")),
    }
}

#[test]
fn configurations_are_accepted_and_refused_alike() {
    let deliberate = [("mcp_client_config-044", "a namespace has a letter or a digit")];
    compare(include_str!("../../tests/cases/mcp_client_config.json"), &deliberate, |case| {
        let parsed = serde_json::from_value::<McpServerConfig>(case["config"].clone());
        let checked = parsed.map_err(|e| e.to_string()).and_then(|config| {
            config.check(|_| Some("secret".to_owned())).map_err(|error| error.to_string())
        });
        same(case["accepted"].as_bool().unwrap(), checked.is_ok())
            .map_err(|difference| format!("{difference}: {checked:?}"))
    });
}

/// A schema that the vectors describe in words, since it is large.
fn described(words: &str) -> Value {
    let number = |prefix: &str| words.strip_prefix(prefix)?.parse::<usize>().ok();
    let properties = |count: usize| -> Value {
        let names = (0..count).map(|i| (format!("p{i}"), json!({"type": "string"})));
        json!({"type": "object", "properties": names.collect::<serde_json::Map<_, _>>()})
    };
    if let Some(depth) = number("nested objects x") {
        let nest = |inner, _| json!({"type": "object", "properties": {"n": inner}});
        return (0..depth).fold(json!({"type": "string"}), nest);
    }
    let long = |length| json!({"type": "object", "description": "x".repeat(length)});
    match words {
        "512 properties" => properties(512),
        "513 properties" => properties(513),
        "properties counted over all levels" => {
            json!({"type": "object", "properties": {"a": properties(300), "b": properties(300)}})
        }
        "description 128 KiB" => long(128 * 1024),
        "description 128 KiB - 40" => long(128 * 1024 - 40),
        "many nodes 4097" => json!({"type": "object", "enum": vec![0; 4097]}),
        other => panic!("{other}"),
    }
}

#[test]
fn schemas_are_accepted_and_refused_alike() {
    let deeper = "schemas may nest 64 levels, about 32 of what they describe";
    let more = "properties and values are bounded by the work of validating, not counted alone";
    let deliberate = [
        ("mcp_schema_bounds-014", "a reference to nothing does not compile"),
        ("mcp_schema_bounds-019", "what stands in `const` is data, and refers to nothing"),
        ("mcp_schema_bounds-025", deeper),
        ("mcp_schema_bounds-026", deeper),
        ("mcp_schema_bounds-027", deeper),
        ("mcp_schema_bounds-030", more),
        ("mcp_schema_bounds-031", more),
        ("mcp_schema_bounds-042", more),
    ];
    compare(include_str!("../../tests/cases/mcp_schema_bounds.json"), &deliberate, |case| {
        let given = match &case["schema"] {
            Value::Null => described(case["description"].as_str().unwrap()),
            schema => schema.clone(),
        };
        let mut schema = given.clone();
        clean_schema(&mut schema, 1 << 20);
        let compiled = ToolSchema::compile(schema);
        same(case["accepted"].as_bool().unwrap(), compiled.is_ok())
            .map_err(|difference| format!("{difference}: {:?}", compiled.err()))
    });
}

#[test]
fn texts_are_cleaned_alike() {
    let deliberate = [("mcp_sanitize-003", "DEL is a control character and goes")];
    compare(include_str!("../../tests/cases/mcp_sanitize.json"), &deliberate, |case| {
        let input = match case["input_rule"].as_str() {
            Some("3000 x U+0000 then 'x'") => format!("{}x", "\0".repeat(3000)),
            Some(other) => panic!("{other}"),
            None => case["input"].as_str().unwrap().to_owned(),
        };
        let limit = usize::try_from(case["limit"].as_u64().unwrap()).unwrap();
        let expected = case["output"].as_str().unwrap().replace("<TRUNCATED>", "… [cut]");
        same(expected, clean(&input, limit).0)
    });
}

#[test]
fn answers_read_alike() {
    let partial = "an answer that was cut is partial";
    let deliberate = [
        ("mcp_results-008", partial),
        ("mcp_results-009", partial),
        ("mcp_results-012", partial),
        ("mcp_results-013", partial),
    ];
    compare(include_str!("../../tests/cases/mcp_results.json"), &deliberate, |case| {
        let limit = usize::try_from(case["limit"].as_u64().unwrap()).unwrap();
        let blocks = usize::try_from(case["n_blocks"].as_u64().unwrap()).unwrap();
        let texts = case["content"].as_array().unwrap().iter().cycle().take(blocks);
        let block = |block: &Value| match &block["text"] {
            Value::Null => json!({"type": "image", "data": "AAAA", "mimeType": "image/png"}),
            text => json!({"type": "text", "text": text}),
        };
        let structured = match &case["structured"] {
            Value::String(_) => json!({"k": "x".repeat(limit * 5)}),
            structured => structured.clone(),
        };
        let mut result = json!({"content": texts.map(block).collect::<Vec<_>>()});
        result["isError"] = case["is_error"].clone();
        if !structured.is_null() {
            result["structuredContent"] = structured;
        }
        let answer = response(serde_json::from_value(result).unwrap(), limit);
        same(case["status"].as_str().unwrap(), answer.status.as_str())?;
        // An error says so by its status, and a picture says what it is.
        let expected = match &case["text"] {
            Value::String(text) => text.trim_start_matches("Error: ").to_owned(),
            _ => "[image: image/png, 3 bytes]".to_owned(),
        };
        same(expected, answer.text)
    });
}

#[test]
fn a_cut_answer_is_partial_and_says_so() {
    let result =
        json!({"content": [{"type": "text", "text": "xxxxxxxxx"}, {"type": "text", "text": "yy"}]});
    let answer = response(serde_json::from_value(result).unwrap(), 10);
    assert_eq!((answer.status, answer.text.as_str()), (Status::Partial, "xxxxxxxxx"));
    let result = json!({"content": [{"type": "text", "text": "xxxxxxxxxxx"}]});
    let answer = response(serde_json::from_value(result).unwrap(), 10);
    assert_eq!((answer.status, answer.text.as_str()), (Status::Partial, "xxxxxxxxxx… [cut]"));
}

/// Two tools of a server are the same where the other client's digest says so: that digest
/// is of the cleaned name, description and input schema only. Ours is of all that the
/// server sent, as it sent it.
#[test]
fn fingerprints_tell_apart_whatever_another_digest_does() {
    let text = include_str!("../../tests/cases/fingerprints.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    let print = |case: &Value| {
        let either = |a: &str, b: &str| case.get(a).or(case.get(b)).cloned();
        let tool = json!({
            "name": case["remote_name"],
            "description": either("tool_description", "raw_description"),
            "inputSchema": either("input_schema", "raw_schema"),
        });
        Fingerprint::of(&tool, &Origin::Mcp(Namespace::parse("server").unwrap()), None)
    };
    let border = "a NUL in a name is not a border between fields";
    let sent = "it is what the server sent that counts, not what is made of it";
    let deliberate = [
        ("fingerprints-026", border),
        ("fingerprints-027", border),
        ("fingerprints-029", sent),
        ("fingerprints-030", sent),
        ("fingerprints-033", "a hidden character is a change"),
        ("fingerprints-034", "a hidden character is a change"),
        ("fingerprints-041", sent),
    ];
    compare(text, &deliberate, |case| {
        let mut others = cases.iter().filter(|other| {
            let alike = other["sha256"] == case["sha256"];
            let same = print(other) == print(case);
            assert!(alike || !same, "{} and {} are not told apart", case["id"], other["id"]);
            alike != same
        });
        match others.next() {
            None => Ok(()),
            Some(other) => Err(format!("told apart from {}", other["id"])),
        }
    });
}
