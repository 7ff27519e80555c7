//! `approve` and `lock`: what was approved, and what is different.

use super::workplace::{Workplace, json};
use crate::hostile::guests;
use toolstile_tests::HandWritten;

fn place() -> Workplace {
    let place = Workplace::with_config("[plugins]\nbundled = false\n");
    place.write("plugins/echo.wasm", guests::NEIGHBOUR);
    place
}

#[test]
fn what_is_approved_is_shown_and_holds() {
    let place = place();
    let ran = place.run(&["approve"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in ["plugin echo: not approved\n  sha256 ", "  asks for ", "  tool `echo`: "] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(ran.stdout.ends_with("`toolstile.lock` approves 1 plugin(s) and 0 MCP server(s)\n"));
    let ran = place.run(&["lock", "--check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "everything is as it was approved\n"));
    let again = place.run(&["approve"]);
    assert_eq!(again.stdout, "`toolstile.lock` approves 1 plugin(s) and 0 MCP server(s)\n");
}

#[test]
fn a_difference_is_exit_code_2_and_can_be_read() {
    let place = place();
    place.run(&["approve"]);
    place.write("plugins/echo.wasm", HandWritten::with_tools(["other"]).build());
    place.write("plugins/new.wasm", HandWritten::with_tools(["more"]).build());
    let check = place.run(&["lock", "--check"]);
    let names = "plugin echo: changed\nplugin new: not approved\n";
    assert_eq!((check.code, check.stdout.as_str()), (2, names), "{}", check.stderr);
    let diff = place.run(&["lock", "--diff"]);
    assert_eq!(diff.code, 2);
    for part in ["  `tools/echo` is gone: {", "  `tools/other` is new: {", "  tool `more`: "] {
        assert!(diff.stdout.contains(part), "{part}: {}", diff.stdout);
    }
    let data = json(&place.run(&["lock", "--diff", "--json"]).stdout);
    assert_eq!(data["plugin echo"][0]["path"], "/sha256");
    let list = place.run(&["list"]);
    assert!(list.stdout.contains("echo.wasm: it is not what was approved: "), "{}", list.stdout);
}

#[test]
fn single_plugins_are_approved_by_name() {
    let place = place();
    place.write("plugins/new.wasm", HandWritten::with_tools(["more"]).build());
    let ran = place.run(&["approve", "new"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("plugin echo is not what `toolstile.lock` says, and not used"));
    let check = place.run(&["lock", "--check"]);
    assert_eq!((check.code, check.stdout.as_str()), (2, "plugin echo: not approved\n"));
    std::fs::remove_file(place.path("plugins/new.wasm")).expect("removed");
    let gone = place.run(&["approve", "new"]);
    assert!(gone.stdout.contains("plugin new: gone\n"), "{}", gone.stdout);
}

#[test]
fn mistakes_say_what_would_be_right() {
    let place = place();
    for (arguments, parts) in [
        (vec!["lock", "--check"], ["nothing was approved yet", "`toolstile approve` writes it"]),
        (vec!["approve", "eco"], ["no plugin and no MCP server `eco`", "there are `echo`"]),
        (vec!["lock"], ["--check", "Usage"]),
    ] {
        let ran = place.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
    place.write("toolstile.lock", "{");
    let ran = place.run(&["list"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("toolstile.lock` is not valid: "), "{}", ran.stderr);
}
