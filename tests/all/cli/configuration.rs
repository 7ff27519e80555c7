//! Configuration: finding it, reading it, what is wrong with it, writing one.

use std::fs;

use super::workplace::{Workplace, calculator, json, keys};

#[test]
fn mistakes_are_exit_code_3() {
    let place = Workplace::with_config("[permisions]\ndeny = []\n");
    let missing = place.path("missing.toml");
    for (arguments, part) in [
        (vec!["list"], "line 1: unknown key `permisions`; did you mean `permissions`?"),
        (vec!["--config", missing.to_str().expect("UTF-8"), "list"], "cannot be read"),
        (vec!["lst"], "list"),
        (vec!["call", "calculator"], "<JSON_ARGUMENTS>"),
        (vec!["list", "--jsn"], "--json"),
    ] {
        let ran = place.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn a_host_that_cannot_be_is_exit_code_4() {
    let place = Workplace::with_config("[runtime]\ncache_dir = \"file/below\"");
    place.write("file", "not a directory");
    let ran = place.run(&["list"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("compile cache"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_may_write_is_exit_code_4() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Workplace::with_config("[runtime]\ncache_dir = \"cache\"");
    fs::create_dir(place.path("cache")).expect("a directory");
    fs::set_permissions(place.path("cache"), fs::Permissions::from_mode(0o777)).expect("changed");
    for arguments in [vec!["list"], vec!["inspect", "--runtime"]] {
        let ran = place.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{}", ran.stderr);
        for part in ["others may write to it", "chmod go-w", "\n\nhint: `[runtime]`"] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
}

#[test]
fn paths_start_from_the_configuration_however_it_was_given() {
    let place =
        Workplace::with_config("[runtime]\ncache_dir = \"cache\"\n[plugins]\nbundled = false");
    fs::create_dir(place.path("below")).expect("a directory");
    place.write("plugins/broken.wasm", "nonsense nonsense");
    for (directory, file) in [("", "toolstile.toml"), ("below", "../toolstile.toml")] {
        let mut command = place.command(&["--config", file, "list"]);
        let output = command.current_dir(place.path(directory)).output().expect("it runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(stdout.contains("QUARANTINED\nbroken.wasm: "), "{stdout}");
    }
    assert!(place.path("cache").is_dir());
}

#[test]
fn the_configuration_is_found_upwards() {
    let place = Workplace::with_config("[plugins]\nbundled = false\n");
    fs::create_dir_all(place.path("a/b")).expect("a directory");
    let mut command = place.command(&["list"]);
    let output = command.current_dir(place.path("a/b")).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "no tools\n");
}

#[test]
fn init_writes_a_file_that_works_and_overwrites_none() {
    let place = Workplace::empty();
    assert_eq!(place.run(&["init"]).code, 0);
    assert_eq!(place.run(&["list"]).code, 0);
    place.write("toolstile.toml", "[plugins]\nbundled = false\n");
    let again = place.run(&["init"]);
    assert_eq!(again.code, 3);
    assert!(again.stderr.contains("is there already") && again.stderr.contains("--force"));
    let kept = fs::read_to_string(place.path("toolstile.toml")).expect("the file");
    assert_eq!(kept, "[plugins]\nbundled = false\n");
    assert_eq!(place.run(&["init", "--force"]).code, 0);
}

#[test]
fn pins_can_be_pasted_and_a_changed_tool_is_quarantined() {
    let place = Workplace::with_config("");
    let pins = place.run(&["list", "--pins"]);
    assert_eq!((pins.code, pins.stderr.as_str()), (0, ""));
    place.write("toolstile.toml", &pins.stdout);
    let listed = place.run(&["list"]);
    assert!(listed.stdout.contains("calculator  builtin"), "{}{}", listed.stdout, listed.stderr);
    let changed = pins.stdout.replacen("sha256/v1:", "sha256/v1:0", 1);
    let part = changed.find("description = \"").expect("the part") + "description = \"".len();
    let changed = format!("{}000000000000{}", &changed[..part], &changed[part + 12..]);
    place.write("toolstile.toml", changed);
    let refused = place.run(&["list"]);
    for text in
        ["QUARANTINED", "is not the tool that was pinned", "`description` changed (000000000000"]
    {
        assert!(refused.stdout.contains(text), "{text}: {}", refused.stdout);
    }
    assert!(!refused.stdout.contains("`input_schema` changed"), "{}", refused.stdout);
    let anew = place.run(&["list", "--pins"]);
    assert_eq!((anew.code, anew.stdout), (0, pins.stdout), "what is there, not what was pinned");
    assert!(anew.stderr.contains("`description` changed"), "{}", anew.stderr);
}

#[test]
fn a_dropped_component_is_there_at_the_next_start() {
    let place = Workplace::with_config("[plugins]\nbundled = false\n");
    assert_eq!(place.run(&["list"]).stdout, "no tools\n");
    place.write("plugins/sums.wasm", calculator());
    place.write("plugins/broken.wasm", "nonsense nonsense");
    let listed = place.run(&["list"]);
    assert_eq!(listed.code, 0);
    for text in ["calculator  plugin:sums", "QUARANTINED", "broken.wasm: not a valid"] {
        assert!(listed.stdout.contains(text), "{text}: {}", listed.stdout);
    }
    let listing = json(&place.run(&["list", "--json"]).stdout);
    assert_eq!(listing["tools"][0]["origin"], "plugin:sums");
    assert_eq!(keys(&listing["quarantined"][0]), ["plugin", "reason"]);
    assert_eq!(listing["quarantined"][0]["plugin"], "broken.wasm");
    let ran = place.run(&["call", "calculator", r#"{"expression": "1 + 1"}"#]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "2\n"));
    assert!(ran.stderr.contains("`broken.wasm` is quarantined"), "{}", ran.stderr);
}

#[test]
fn rules_that_match_nothing_are_pointed_out() {
    let place = Workplace::with_config("[permissions]\ndeny = [\"sh*\"]\n[plugin.nobody]\n");
    let ran = place.run(&["list"]);
    assert!(ran.stderr.contains("`sh*` in `[permissions] deny` matches no tool"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`[plugin.nobody]` matches no plugin"), "{}", ran.stderr);
}
