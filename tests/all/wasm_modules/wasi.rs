//! WASI 0.2 is linked with nothing behind it: its lists are empty for every plugin.

use toolstile_tests::{HandWritten, PluginDir};

/// Lets a plugin with these imports call `$list`, which gives a list, and answers
/// with how many elements it has.
async fn elements(imports: &str) -> String {
    let before = format!(
        r#"{imports}
  (core module $libc (memory (export "memory") 1)
    (func (export "length") (result i32) (i32.load (i32.const 12)))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $libc (instantiate $libc))
  (core func $list (canon lower (func $list)
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (alias core export $libc "length" (core func $length))"#
    );
    let count = HandWritten::say_digit("(call $length)");
    let guest = HandWritten {
        before,
        with:
            r#"(with "h" (instance (export "list" (func $list)) (export "length" (func $length))))"#
                .into(),
        imports: r#"(import "h" "list" (func $list (param i32)))
            (import "h" "length" (func $length (result i32)))"#
            .into(),
        ..HandWritten::calling(&format!("(call $list (i32.const 8)) {count}"))
    };
    let host = PluginDir::with([("p", &*guest.build())]).host("").await;
    assert_eq!(host.quarantined(), []);
    host.call("t", "{}").await.model_text()
}

#[tokio::test]
async fn the_environment_is_empty() {
    assert!(std::env::vars_os().count() > 0, "the host's own is not");
    for (function, result) in
        [("get-environment", "(list (tuple string string))"), ("get-arguments", "(list string)")]
    {
        let imports = format!(
            r#"(import "wasi:cli/environment@0.2.0" (instance $environment
                 (export "{function}" (func (result {result})))))
               (alias export $environment "{function}" (func $list))"#
        );
        assert_eq!(elements(&imports).await, "0", "{function}");
    }
}

#[tokio::test]
async fn no_directory_is_opened() {
    let imports = r#"
        (import "wasi:filesystem/types@0.2.0" (instance $types
          (export "descriptor" (type (sub resource)))))
        (alias export $types "descriptor" (type $descriptor))
        (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
          (alias outer 1 $descriptor (type $d))
          (export "descriptor" (type $descriptor (eq $d)))
          (export "get-directories" (func (result (list (tuple (own $descriptor) string)))))))
        (alias export $preopens "get-directories" (func $list))"#;
    assert_eq!(elements(imports).await, "0");
}
