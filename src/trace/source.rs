//! Where the bytes of a trace are: a file that is read at an offset, or memory. Payloads are read on demand.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use base64::Engine;

use crate::wire::frame::{Encoding, Place};

use super::record::Record;

/// A place to read payloads from.
#[derive(Debug)]
pub enum Source {
    /// A file: read at an offset, never mapped, because it may be cut while it is open.
    File(File),
    /// Memory: a foreign format that was read whole, or a compressed file.
    Memory(Vec<u8>),
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open(path: &Path) -> io::Result<Source> {
        Ok(Source::File(File::open(path)?))
    }

    /// The encoded bytes at a place.
    fn raw(&self, offset: u64, len: u32) -> io::Result<Vec<u8>> {
        match self {
            Source::File(file) => {
                let mut buffer = vec![0; len as usize];
                file.read_exact_at(&mut buffer, offset)?;
                Ok(buffer)
            }
            Source::Memory(bytes) => {
                let start = offset as usize;
                bytes
                    .get(start..start + len as usize)
                    .map(<[u8]>::to_vec)
                    .ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))
            }
        }
    }

    /// The payload at a place, decoded.
    ///
    /// # Errors
    /// When the file is shorter than it was, or the encoded form is broken.
    pub fn read(&self, place: Place) -> io::Result<Vec<u8>> {
        let raw = self.raw(place.offset, place.len)?;
        match place.encoding {
            Encoding::Verbatim | Encoding::Memory => Ok(raw),
            Encoding::JsonString => {
                let mut bytes = Vec::with_capacity(raw.len());
                crate::wire::json::string::decode_bytes(&raw, &mut bytes);
                Ok(bytes)
            }
            Encoding::Base64 => base64::engine::general_purpose::STANDARD.decode(raw).map_err(io::Error::other),
        }
    }

    /// The bytes of a record's frame: the whole line, body or event.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn frame_bytes(&self, record: &Record) -> io::Result<Vec<u8>> {
        self.read(record.place())
    }

    /// The bytes of a record's message: its part of the frame.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn message_bytes(&self, record: &Record) -> io::Result<Vec<u8>> {
        let whole = self.frame_bytes(record)?;
        if record.part_len == 0 {
            return Ok(whole);
        }
        let start = record.part_start as usize;
        Ok(whole.get(start..start + record.part_len as usize).map(<[u8]>::to_vec).unwrap_or(whole))
    }
}
