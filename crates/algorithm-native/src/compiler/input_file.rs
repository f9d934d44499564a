//! Reads files that may be of any kind and size.

use crate::error::LoadError;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// The content of a regular file of at most `limit_bytes`. Never blocks: opening a pipe would, and some devices have no
/// end.
pub fn read(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, LoadError> {
    let cannot_read = |reason| LoadError::CannotRead { path: path.into(), reason };
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(cannot_read)?;
    let kind = file.metadata().map_err(cannot_read)?.file_type();
    if !kind.is_file() {
        return Err(LoadError::NotAFile { path: path.into(), kind: name_of(kind) });
    }
    let mut bytes = Vec::new();
    file.take(limit_bytes + 1).read_to_end(&mut bytes).map_err(cannot_read)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(LoadError::TooLarge { path: path.into(), limit_bytes });
    }
    Ok(bytes)
}

fn name_of(kind: std::fs::FileType) -> &'static str {
    match kind {
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}
