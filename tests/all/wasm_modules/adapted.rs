//! From a vector's text to a component of the plugin contract that does the same.

use toolstile_tests::HandWritten;

/// `log` of the contract, lowered with the memory of a module that holds four bytes
/// which are not UTF-8.
const LOG: &str = r#"
  (import "toolstile:plugin/log@0.1.0" (instance $log
    (type $l (enum "debug" "info" "warn" "error"))
    (export "level" (type $level (eq $l)))
    (export "write" (func (param "level" $level) (param "message" string)))))
  (core module $libc (memory (export "memory") 1) (data (i32.const 0) "\ff\fe\fd\fc"))
  (core instance $libc (instantiate $libc))
  (core func $host (canon lower (func $log "write") (memory (core memory $libc "memory"))))"#;

/// The interface that makes the host allocate as much as the guest says.
const RANDOM: &str = r#"
  (import "wasi:random/random@0.2.0" (instance $random
    (export "get-random-bytes" (func (param "len" u64) (result (list u8))))))"#;

/// The component for a vector. Files whose outcome is decided before any code of
/// theirs runs are used as they are.
pub(super) fn component(file: &str, text: &str) -> Vec<u8> {
    let stem = file.trim_end_matches(".wat");
    match stem {
        "no_run_export" | "export_duplicate_case" => as_it_is(text),
        stem if stem.starts_with("import_") => as_it_is(text),
        "wrong_run_type" => wrong_type(),
        "loop_in_realloc" => reallocating("(loop $again (br $again)) unreachable").build(),
        "log_oob" => logging("(i32.const -8) (i32.const 64)"),
        "log_bad_utf8" => logging("(i32.const 0) (i32.const 4)"),
        "blob_huge_request" => random_bytes("i32.const 1024", "(i64.const 4294967295)"),
        "realloc_returns_zero" => random_bytes("i32.const 0", "(i64.const 100)"),
        "realloc_traps" => random_bytes("unreachable", "(i64.const 100)"),
        "realloc_misaligned" => another_import_type(),
        "ret_bad_char" => bad_status(),
        "ret_list_u8_12mb" => huge_attachment(),
        "ret_list_alias_amplify" => many_aliases(),
        "ret_utf16_misaligned" => utf16(&returning(text)),
        stem if stem.starts_with("ret_") => returning(text).build(),
        "state_counter" => counting(text).build(),
        _ => running(text).build(),
    }
}

fn as_it_is(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("a vector's text")
}

/// The vector's core modules and instances, and the name of the one that runs.
fn core_of(text: &str) -> (&str, &str) {
    let (body, tail) = text.split_at(text.rfind("(func (export \"run\")").expect("it runs"));
    let instance = tail.split("(core func ").nth(1).and_then(|rest| rest.split(' ').next());
    (body.trim_start().trim_start_matches("(component"), instance.expect("an instance"))
}

/// A guest whose imported `$run` is the vector's.
fn importing(text: &str, kind: &str) -> HandWritten {
    let (before, instance) = core_of(text);
    HandWritten {
        before: before.into(),
        with: format!("(with \"v\" (instance {instance}))"),
        imports: format!("(import \"v\" \"run\" (func $run {kind}))"),
        ..HandWritten::default()
    }
}

fn running(text: &str) -> HandWritten {
    let call_tool = format!("(call $run) {}", HandWritten::answer());
    HandWritten { call_tool, ..importing(text, "") }
}

fn counting(text: &str) -> HandWritten {
    let say = HandWritten::say_digit("(call $run)");
    HandWritten {
        call_tool: format!("{say} {}", HandWritten::answer()),
        ..importing(text, "(result i32)")
    }
}

/// The vector's result area is the response: its text is the vector's string.
fn returning(text: &str) -> HandWritten {
    let (_, instance) = core_of(text);
    HandWritten {
        call_tool: "(call $run)".into(),
        memory_of: instance.into(),
        ..importing(text, "(result i32)")
    }
}

fn utf16(guest: &HandWritten) -> Vec<u8> {
    let text = guest.text();
    let (before, call) = text.split_at(text.rfind("string-encoding=utf8").expect("it is lifted"));
    let text = before.to_owned() + &call.replacen("utf8", "utf16", 1);
    wat::parse_str(text).expect("valid text")
}

fn reallocating(body: &str) -> HandWritten {
    HandWritten { realloc: body.into(), ..HandWritten::default() }
}

fn logging(message: &str) -> Vec<u8> {
    HandWritten {
        before: LOG.into(),
        with: "(with \"h\" (instance (export \"f\" (func $host))))".into(),
        imports: "(import \"h\" \"f\" (func $host (param i32 i32 i32)))".into(),
        ..HandWritten::calling(&format!("(call $host (i32.const 1) {message})"))
    }
    .build()
}

/// Asks the host for bytes; `realloc` says where they go.
fn random_bytes(realloc: &str, length: &str) -> Vec<u8> {
    let before = format!(
        r#"{RANDOM}
  (core module $libc (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) {realloc}))
  (core instance $libc (instantiate $libc))
  (core func $host (canon lower (func $random "get-random-bytes")
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))"#
    );
    HandWritten {
        before,
        with: "(with \"h\" (instance (export \"f\" (func $host))))".into(),
        imports: "(import \"h\" \"f\" (func $host (param i64 i32)))".into(),
        ..HandWritten::calling(&format!("(call $host {length} (i32.const 8))"))
    }
    .build()
}

fn another_import_type() -> Vec<u8> {
    let before = RANDOM.replace("(list u8)", "(list u32)");
    HandWritten { before, ..HandWritten::default() }.build()
}

/// The contract has no `char`; a status that is none is as far outside its type.
fn bad_status() -> Vec<u8> {
    HandWritten::calling("(i32.store8 (i32.const 72) (i32.const 200))").build()
}

/// One picture of 12 MB. The list of attachments is at 24 of the response, at 64.
fn huge_attachment() -> Vec<u8> {
    HandWritten::calling(
        "(drop (memory.grow (i32.const 200)))
         (i32.store (i32.const 1036) (i32.const 16)) (i32.store (i32.const 1040) (i32.const 12000000))
         (i32.store (i32.const 88) (i32.const 1024)) (i32.store (i32.const 92) (i32.const 1))",
    )
    .build()
}

/// 100,000 pictures of 32 bytes, all of whose data is one megabyte at 16.
fn many_aliases() -> Vec<u8> {
    let code = "(local $i i32) (drop (memory.grow (i32.const 100)))
        (loop $again
          (i32.store (i32.add (i32.const 1048588) (i32.mul (local.get $i) (i32.const 32))) (i32.const 16))
          (i32.store (i32.add (i32.const 1048592) (i32.mul (local.get $i) (i32.const 32))) (i32.const 1000000))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $again (i32.lt_u (local.get $i) (i32.const 100000))))
        (i32.store (i32.const 88) (i32.const 1048576)) (i32.store (i32.const 92) (i32.const 100000))";
    HandWritten::calling(code).build()
}

fn wrong_type() -> Vec<u8> {
    as_it_is(
        r#"(component
          (core module $m (func (export "f")))
          (core instance $i (instantiate $m))
          (func $f (canon lift (core func $i "f")))
          (instance $tool (export "list-tools" (func $f)) (export "call-tool" (func $f)))
          (export "toolstile:plugin/tool@0.1.0" (instance $tool)))"#,
    )
}
