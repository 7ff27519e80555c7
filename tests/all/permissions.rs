//! Vectors: lists of names and origins against one tool.

use std::collections::BTreeSet;

use serde_json::Value;
use toolstile::{HostConfig, ToolPermissions};
use toolstile_tests::{Comparison, id, vector_lines, vectors};

/// A list of a case; absent and `null` both mean "not set".
fn list(lists: &Value, name: &str) -> Option<BTreeSet<String>> {
    let entries = lists[name].as_array()?;
    Some(entries.iter().map(|entry| entry.as_str().expect("a text").to_owned()).collect())
}

fn permissions(lists: &Value) -> ToolPermissions {
    ToolPermissions {
        allow: list(lists, "allow"),
        deny: list(lists, "deny").unwrap_or_default(),
        allow_origins: list(lists, "allow_origins"),
        deny_origins: list(lists, "deny_origins").unwrap_or_default(),
    }
}

fn check<'a>(lists: &Value, tool: &'a Value) -> Result<(), &'a str> {
    let name = tool["name"].as_str().expect("a name");
    permissions(lists).check(name, tool["origin"].as_str()).map_err(|denial| denial.kind())
}

#[test]
fn the_full_product_of_lists_holds() {
    let mut comparison = Comparison::new(&[]);
    for case in vectors("seeds/permissions.json") {
        // A list that was given as one text has no typed form.
        if case["deny"].is_string() {
            let deny = &case["deny"];
            let config = HostConfig::parse(&format!("[permissions]\ndeny = {deny}\n"));
            comparison.accept(id(&case), config.is_err(), || format!("accepted: {config:?}"));
            continue;
        }
        let expected = case["reason"]["kind"].as_str().map_or(Ok(()), Err);
        assert_eq!(case["permitted"], expected.is_ok());
        comparison.case(id(&case), expected, check(&case, &case));
    }
    comparison.finish("permissions", 224);
}

#[test]
fn hostile_names_and_origins_do_not_pass() {
    let mut comparison = Comparison::new(&[]);
    let cases = vector_lines("security/identity.jsonl");
    for case in cases.iter().filter(|case| case["kind"] == "permission") {
        let expected = case["expect"] == "allow";
        let found = check(&case["permissions"], &case["tool"]).is_ok();
        comparison.case(id(case), expected, found);
    }
    comparison.finish("permissions of the identity vectors", 12);
}

#[test]
fn every_list_must_be_a_list_of_texts() {
    for list in ["allow", "deny", "allow_origins", "deny_origins"] {
        for value in ["'shell'", "1", "true", "[1]", "[['shell']]", "{ shell = true }"] {
            let text = format!("[permissions]\n{list} = {value}\n");
            assert!(HostConfig::parse(&text).is_err(), "{text}");
        }
        let text = format!("[permissions]\n{list} = ['shell', 'shell']\n");
        assert!(HostConfig::parse(&text).is_ok(), "{text}");
    }
}

#[test]
fn an_entry_that_matches_nothing_is_named() {
    let permissions = permissions(&serde_json::json!({
        "allow": ["Shell"], "deny": ["sh*", ""], "allow_origins": ["mcp:*", "builtin"],
    }));
    let unmatched = permissions.unmatched(&[("shell", "builtin")]);
    let expected = [("allow", "Shell"), ("deny", ""), ("deny", "sh*"), ("allow_origins", "mcp:*")];
    assert_eq!(unmatched, expected);
}
