//! What the operator's configuration makes of a plugin: on or off, confirmed or not,
//! pinned or not, and what of the configuration matches nothing.

use toolstile::{Host, Pin, Refusal, Stop};
use toolstile_tests::{HandWritten, PluginDir, reason};

use super::{guests, names};

async fn host_of(component: &[u8], config: &str) -> Host {
    PluginDir::with([("p", component)]).host(config).await
}

#[tokio::test]
async fn a_disabled_plugin_is_neither_loaded_nor_quarantined() {
    let host = host_of(guests::NEIGHBOUR, "[plugin.p]\nenabled = false").await;
    assert_eq!((names(&host).len(), host.quarantined().len()), (0, 0));
    assert_eq!(host.warnings(), Vec::<String>::new());
}

/// Whether a call is refused because nobody confirms it.
async fn needs_confirmation(traits: u8, policy: &str) -> bool {
    let component = HandWritten { traits, ..HandWritten::default() }.build();
    let host = host_of(&component, &format!("[plugin.p]\n{policy}")).await;
    match host.call("t", "{}").await.result {
        Ok(response) => {
            assert_eq!(response.text, "ok");
            false
        }
        Err(stop) => matches!(stop, Stop::Refused(Refusal::NotConfirmed { .. })),
    }
}

#[tokio::test]
async fn the_operator_decides_what_is_confirmed() {
    const ASKS: u8 = 1;
    assert!(!needs_confirmation(0, "").await);
    assert!(needs_confirmation(ASKS, "").await, "declared is the default");
    assert!(needs_confirmation(ASKS, "confirm = 'declared'").await);
    assert!(needs_confirmation(0, "confirm = 'always'").await);
    assert!(!needs_confirmation(ASKS, "confirm = 'never'").await);
}

#[tokio::test]
async fn a_tool_that_is_what_was_pinned_is_loaded() {
    let fingerprint = host_of(guests::NEIGHBOUR, "").await.all_tools()[0].fingerprint.clone();
    let pins = format!("[expected_fingerprints]\necho = '{fingerprint}'");
    assert_eq!(names(&host_of(guests::NEIGHBOUR, &pins).await), ["echo"]);
    let pin =
        Pin::Parts { fingerprint: fingerprint.to_string(), parts: fingerprint.parts().clone() };
    let directory = PluginDir::with([("p", guests::NEIGHBOUR)]);
    let host = directory.builder("").expected_fingerprint("echo", pin).build().await;
    assert_eq!(names(&host.expect("a host")), ["echo"]);
}

#[tokio::test]
async fn a_tool_that_differs_keeps_its_plugin_out() {
    let pinned = HandWritten::with_tools(["t", "u"]).build();
    let other = HandWritten { traits: 1, ..HandWritten::with_tools(["t", "u"]) }.build();
    let fingerprint = host_of(&pinned, "").await.all_tools()[0].fingerprint.clone();
    let config = format!("[expected_fingerprints]\nt = '{fingerprint}'");
    let host = host_of(&other, &config).await;
    assert_eq!(names(&host).len(), 0, "not even the tool without a pin");
    let text = reason(&host, "p.wasm");
    assert!(
        text.starts_with(&format!("`t` is not the tool that was pinned: expected {fingerprint}"))
    );
    assert!(text.ends_with("a pin with `parts` would say what changed"), "{text}");

    let parts = serde_json::to_string(fingerprint.parts()).unwrap().replace(':', " = ");
    let pin = format!("[expected_fingerprints.t]\nfingerprint = '{fingerprint}'\nparts = {parts}");
    let text = reason(&host_of(&other, &pin).await, "p.wasm");
    assert!(text.contains("`component` changed ("), "{text}");
    assert!(text.contains("`confirm` changed ("), "{text}");
    assert!(!text.contains("`description`"), "{text}");
}

#[tokio::test]
async fn a_pin_holds_for_one_origin() {
    let fingerprint = host_of(guests::NEIGHBOUR, "").await.all_tools()[0].fingerprint.clone();
    let config = format!("[expected_fingerprints]\necho = '{fingerprint}'");
    let host = PluginDir::with([("renamed", guests::NEIGHBOUR)]).host(&config).await;
    assert!(reason(&host, "renamed.wasm").contains("is not the tool that was pinned"));
}

#[tokio::test]
async fn what_matches_nothing_is_reported() {
    let config = "
        [permissions]
        deny = ['ecko']
        deny_origins = ['plugin:q']
        [plugin.q]
        [expected_fingerprints]
        absent = 'sha256/v1:00'";
    let host = host_of(guests::NEIGHBOUR, config).await;
    let warnings = host.warnings().join("\n");
    for part in [
        "`ecko` in `[permissions] deny` matches no tool",
        "`plugin:q` in `[permissions] deny_origins` matches no tool",
        "`[plugin.q]` matches no plugin",
        "`absent` in `[expected_fingerprints]` is not a registered tool",
    ] {
        assert!(warnings.contains(part), "`{part}` is not in: {warnings}");
    }
    assert_eq!(host.warnings().len(), 4, "{warnings}");
}

/// A quarantined plugin whose name begins alike is another plugin.
#[tokio::test]
async fn a_quarantined_plugin_hides_no_warning_of_another() {
    let directory = PluginDir::with([("search2", b"no component".as_slice())]);
    let host = directory.host("[plugin.search]\n[plugin.search2]").await;
    assert_eq!(host.warnings(), ["`[plugin.search]` matches no plugin"]);
}
