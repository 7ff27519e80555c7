//! What all loaded plugins offer beside tools, as one source of resources and one of
//! prompts. Plugins come and go; each request looks at those that are there.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use toolstile_core::{
    CallContext, CompletionOf, OfferError, Origin, Prompt, PromptDefinition, Prompts, Resource,
    ResourceContent, ResourceTemplate, Resources,
};
use toolstile_wasm::{WasmPrompts, WasmResources};

use crate::config::ConfirmPolicy;
use crate::host::Host;
use crate::loader::LoadedPlugin;

/// The offers of a host.
#[derive(Clone, Debug)]
struct Offers(Host);

impl Host {
    /// The resources of all permitted plugins. Where several list one URI, the first
    /// plugin has it.
    #[must_use]
    pub fn resources(&self) -> Arc<dyn Resources> {
        Arc::new(Offers(self.clone()))
    }

    /// The prompts of all permitted plugins. Where several have one name, the first has it.
    #[must_use]
    pub fn prompts(&self) -> Arc<dyn Prompts> {
        Arc::new(Offers(self.clone()))
    }
}

impl Offers {
    /// The plugins whose tools may be called by origin, in the order in which they were
    /// loaded.
    fn plugins(&self) -> Vec<LoadedPlugin> {
        let mut plugins = self.0.plugins();
        plugins.retain(|plugin| plugin.tools.iter().any(|tool| self.0.permits(tool)));
        plugins
    }

    /// Whether what a plugin offers may use its grants: nobody is asked before it is used,
    /// so not where somebody would be asked about its tools.
    fn lends_grants(&self, plugin: &LoadedPlugin) -> bool {
        let asks = match self.0.config().settings(&plugin.name).confirm {
            ConfirmPolicy::Declared => plugin.origin != Origin::Builtin,
            ConfirmPolicy::Always => true,
            ConfirmPolicy::Never => false,
        };
        !asks || !plugin.plugin.capabilities.reaches_out()
    }

    fn with_resources(&self) -> Vec<WasmResources> {
        let resources = |plugin: LoadedPlugin| {
            let lends = self.lends_grants(&plugin);
            let resources = plugin.plugin.resources?;
            Some(if lends { resources } else { resources.without_grants() })
        };
        self.plugins().into_iter().filter_map(resources).collect()
    }

    fn with_prompts(&self) -> Vec<WasmPrompts> {
        let prompts = |plugin: LoadedPlugin| {
            let lends = self.lends_grants(&plugin);
            let prompts = plugin.plugin.prompts?;
            Some(if lends { prompts } else { prompts.without_grants() })
        };
        self.plugins().into_iter().filter_map(prompts).collect()
    }

    /// Whose prompt it is.
    fn prompts_of(&self, name: &str) -> Option<WasmPrompts> {
        let has = |prompts: &WasmPrompts| prompts.list().iter().any(|prompt| prompt.name == name);
        self.with_prompts().into_iter().find(has)
    }
}

#[async_trait]
impl Resources for Offers {
    /// A plugin that gives no list is left out, with a word in the log.
    async fn list(&self, context: &CallContext) -> Result<Vec<Resource>, OfferError> {
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        for resources in self.with_resources() {
            match resources.list(context).await {
                Ok(listed) => {
                    all.extend(listed.into_iter().filter(|r| seen.insert(r.uri.clone())));
                }
                Err(error) => tracing::warn!(%error, "a plugin lists no resources"),
            }
        }
        Ok(all)
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        self.with_resources().iter().flat_map(Resources::templates).collect()
    }

    /// A plugin is asked only for what it lists, or for what is of a family of its own: it
    /// hears of no other URI.
    async fn read(
        &self,
        uri: &str,
        context: &CallContext,
    ) -> Result<Vec<ResourceContent>, OfferError> {
        for resources in self.with_resources() {
            let of_family = resources.templates().iter().any(|template| template.may_be(uri));
            let lists = |listed: Vec<Resource>| listed.iter().any(|resource| resource.uri == uri);
            if of_family || resources.list(context).await.is_ok_and(lists) {
                match resources.read(uri, context).await {
                    Err(OfferError::NotFound(_)) => {}
                    read => return read,
                }
            }
        }
        Err(OfferError::NotFound(format!("there is no resource `{uri}`")))
    }
}

#[async_trait]
impl Prompts for Offers {
    fn list(&self) -> Vec<PromptDefinition> {
        let mut seen = BTreeSet::new();
        let all = self.with_prompts().into_iter().flat_map(|prompts| prompts.list());
        all.filter(|prompt| seen.insert(prompt.name.clone())).collect()
    }

    async fn get(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
        context: &CallContext,
    ) -> Result<Prompt, OfferError> {
        match self.prompts_of(name) {
            Some(prompts) => prompts.get(name, arguments, context).await,
            None => Err(OfferError::NotFound(format!("there is no prompt `{name}`"))),
        }
    }

    async fn complete(
        &self,
        of: CompletionOf,
        argument: &str,
        value: &str,
        given: Vec<(String, String)>,
        context: &CallContext,
    ) -> Result<Vec<String>, OfferError> {
        let prompts = match &of {
            CompletionOf::Prompt(name) => self.prompts_of(name),
            CompletionOf::ResourceTemplate(template) => self.prompts_beside(template),
        };
        match prompts {
            Some(prompts) => prompts.complete(of, argument, value, given, context).await,
            None => Ok(Vec::new()),
        }
    }
}

impl Offers {
    /// The prompts of the plugin that has this resource template.
    fn prompts_beside(&self, template: &str) -> Option<WasmPrompts> {
        let has = |plugin: &LoadedPlugin| {
            let resources = plugin.plugin.resources.as_ref();
            let templates = resources.map(Resources::templates).unwrap_or_default();
            templates.iter().any(|known| known.uri_template == template)
        };
        let plugin = self.plugins().into_iter().find(has)?;
        let lends = self.lends_grants(&plugin);
        let prompts = plugin.plugin.prompts?;
        Some(if lends { prompts } else { prompts.without_grants() })
    }
}
