//! What is no tool does not compile, and the error says what to write instead.
//! After a change of a message: `TRYBUILD=overwrite cargo test -p toolstile-sdk --test ui`.

#[test]
fn every_defect_of_a_tool_is_a_readable_compile_error() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
