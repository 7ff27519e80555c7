//! A lock that ends with its scope.

use std::fs::{File, TryLockError};
use std::io;
use std::ops::Deref;

/// A file or directory that is locked for this holder alone (`flock`), among all
/// threads and processes that ask.
#[derive(Debug)]
pub(crate) struct Locked(File);

impl Locked {
    /// `None` when somebody else holds the lock.
    pub(crate) fn try_lock(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Deref for Locked {
    type Target = File;
    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for Locked {
    /// Closing alone would not do: a child process that is being started holds a copy
    /// of the handle for a moment. Nothing can be done about a failure.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
