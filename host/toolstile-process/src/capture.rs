//! Output, read as it comes and bounded while it is read.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes that are read at once.
const CHUNK: usize = 8 * 1024;

/// What was read of one stream.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) bytes: Vec<u8>,
    pub(crate) cut: bool,
    max: usize,
}

/// There was more than the limit.
#[derive(Debug)]
pub(crate) struct LimitReached;

impl Capture {
    pub(crate) fn new(max: usize) -> Self {
        Self { bytes: Vec::new(), cut: false, max }
    }

    /// Reads to the end. What was read stays when this future is dropped. A stream that
    /// cannot be read counts as ended.
    pub(crate) async fn fill(
        &mut self,
        stream: Option<impl AsyncRead + Unpin>,
    ) -> Result<(), LimitReached> {
        let Some(mut stream) = stream else { return Ok(()) };
        let mut chunk = [0; CHUNK];
        loop {
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return Ok(()),
                Ok(count) => self.take(&chunk[..count])?,
            }
        }
    }

    fn take(&mut self, new: &[u8]) -> Result<(), LimitReached> {
        let room = self.max - self.bytes.len();
        self.bytes.extend_from_slice(&new[..new.len().min(room)]);
        self.cut = new.len() > room;
        if self.cut { Err(LimitReached) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn exactly_the_limit_fits() {
        for (given, fits) in [("123456", true), ("1234567", false), ("", true)] {
            let mut capture = Capture::new(6);
            let filled = capture.fill(Some(given.as_bytes())).await;
            assert_eq!((filled.is_ok(), capture.cut), (fits, !fits), "{given}");
            assert_eq!(capture.bytes, &given.as_bytes()[..given.len().min(6)]);
        }
    }
}
