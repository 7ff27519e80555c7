//! What a component exports, found once: the tools that every plugin has, and what it may
//! offer beside them.

use wasmtime::component::{Component, InstancePre};

use crate::bindings::{prompts, resources, tool};
use crate::contract::CONTRACT_VERSION;
use crate::state::PluginState;

/// A linked component and where its functions are.
pub(crate) struct Exports {
    pub(crate) pre: InstancePre<PluginState>,
    pub(crate) tool: tool::GuestIndices,
    pub(crate) resources: Option<resources::GuestIndices>,
    pub(crate) prompts: Option<prompts::GuestIndices>,
}

impl Exports {
    /// Finds the functions of a component.
    ///
    /// # Errors
    /// An interface of ours lacks a function.
    pub(crate) fn of(pre: InstancePre<PluginState>) -> wasmtime::Result<Self> {
        let has = |interface| exports(pre.component(), interface);
        Ok(Self {
            tool: tool::GuestIndices::new(&pre)?,
            resources: has("resources").then(|| resources::GuestIndices::new(&pre)).transpose()?,
            prompts: has("prompts").then(|| prompts::GuestIndices::new(&pre)).transpose()?,
            pre,
        })
    }
}

fn exports(component: &Component, interface: &str) -> bool {
    let name = format!("toolstile:plugin/{interface}@{CONTRACT_VERSION}");
    component.get_export_index(None, &name).is_some()
}
