//! `http`: requests to hosts that the operator lists.

use std::sync::Arc;

use toolstile_http::{ErrorKind as HttpErrorKind, Request as Checked};

use super::denied::{Answer, refuse};
use crate::bindings::http::{Host, Request, Response};
use crate::bindings::types::ErrorKind;
use crate::capabilities::Capability;
use crate::state::PluginState;

impl Host for PluginState {
    async fn send(&mut self, request: Request) -> Answer<Response> {
        self.spend(size(&request))?;
        let Some(http) = self.grants.http.as_ref().map(Arc::clone) else {
            return self.denied(Capability::Http);
        };
        let Request { method, url, headers, body } = request;
        let request = Checked { method, url, headers, body };
        match http.send(request, self.host_deadline).await {
            Ok(response) => Ok(Ok(self.without_secrets(response))),
            Err(error) => {
                let message = self.redactor.text(&error.to_string()).into_owned();
                refuse(kind(error.kind()), message)
            }
        }
    }
}

impl PluginState {
    /// A server may send back what the host put into the request; the guest must not
    /// see it.
    fn without_secrets(&self, response: toolstile_http::Response) -> Response {
        let clean = |text: String| self.redactor.text(&text).into_owned();
        let headers = response.headers.into_iter();
        Response {
            status: response.status,
            headers: headers.map(|(name, value)| (clean(name), clean(value))).collect(),
            body: self.redactor.bytes(response.body),
            truncated: response.truncated,
        }
    }
}

fn size(request: &Request) -> usize {
    let headers: usize = request.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    request.url.len() + headers + request.body.as_ref().map_or(0, Vec::len)
}

fn kind(kind: HttpErrorKind) -> ErrorKind {
    match kind {
        HttpErrorKind::Denied => ErrorKind::Denied,
        HttpErrorKind::InvalidArgument => ErrorKind::InvalidArgument,
        HttpErrorKind::NotFound => ErrorKind::NotFound,
        HttpErrorKind::LimitExceeded => ErrorKind::LimitExceeded,
        HttpErrorKind::TimedOut => ErrorKind::TimedOut,
        HttpErrorKind::Unavailable => ErrorKind::Unavailable,
        HttpErrorKind::Other => ErrorKind::Other,
    }
}
