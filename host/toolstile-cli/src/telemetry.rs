//! Spans of runs on their way to an OpenTelemetry collector: OTLP over HTTP, JSON.

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::runtime::Handle;
use toolstile::HostConfig;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::filter::{Filtered, Targets};
use tracing_subscriber::{Layer as _, Registry};

use crate::error::CliError;

/// The environment variable of the OpenTelemetry specification.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// Where the specification puts traces below an endpoint.
const TRACES: &str = "/v1/traces";

/// How long a collector may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Takes spans.
pub(crate) type Export = Filtered<OpenTelemetryLayer<Registry, SdkTracer>, Targets, Registry>;

/// An export that goes on until the program ends.
pub(crate) struct Exporting(SdkTracerProvider);

impl Exporting {
    /// Starts exporting where the configuration or the environment names a collector.
    pub(crate) fn start(config: &HostConfig) -> Result<Option<Self>, CliError> {
        let configured = config.telemetry.otlp_endpoint.clone();
        let endpoint = configured.or_else(|| std::env::var(ENDPOINT).ok());
        let Some(endpoint) = endpoint.filter(|endpoint| !endpoint.is_empty()) else {
            return Ok(None);
        };
        let failed = |error: &dyn std::fmt::Display| CliError::Telemetry(error.to_string());
        let client = toolstile_http::client_builder().map_err(|error| failed(&error))?;
        let client = client.timeout(TIMEOUT).build().map_err(|error| failed(&error))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(OnRuntime { client, runtime: Handle::current() })
            .with_protocol(Protocol::HttpJson)
            .with_endpoint(format!("{}{TRACES}", endpoint.trim_end_matches('/')))
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|error| failed(&error))?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(Resource::builder().with_service_name("toolstile").build());
        Ok(Some(Self(provider.build())))
    }

    /// What takes the spans: those of the agent, nothing that libraries say.
    pub(crate) fn layer(&self) -> Export {
        let tracer = self.0.tracer("toolstile");
        let agent = Targets::new().with_target("toolstile_agent", tracing::Level::INFO);
        tracing_opentelemetry::layer().with_tracer(tracer).with_filter(agent)
    }

    /// Sends what is left. Whether it arrives changes nothing for the run.
    pub(crate) async fn finish(self) {
        let sent = tokio::task::spawn_blocking(move || self.0.shutdown()).await;
        if let Ok(Err(error)) = sent {
            tracing::warn!(%error, "the spans could not be sent to the collector");
        }
    }
}

/// A client for the exporter's own thread, which has no runtime.
#[derive(Debug)]
struct OnRuntime {
    client: reqwest::Client,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (client, request) = (self.client.clone(), reqwest::Request::try_from(request)?);
        let sent = self.runtime.spawn(async move {
            let response = client.execute(request).await?;
            let status = response.status();
            Ok::<_, reqwest::Error>((status, response.bytes().await?))
        });
        let (status, body) = sent.await??;
        let mut response = Response::new(body);
        *response.status_mut() = status;
        Ok(response)
    }
}
