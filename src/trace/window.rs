//! Payloads read in the order of the file, without a system call for each: a few blocks are kept.

use std::io;

use crate::wire::frame::{Encoding, Place};
use crate::wire::json::string::decode_bytes;

use super::record::Record;
use super::source::Source;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Blocks that are kept: a request and its answer may be far apart.
const BLOCKS: usize = 4;

/// A reader of payloads with a little memory. It may be used with one source only.
#[derive(Default)]
pub struct Windows {
    blocks: Vec<Block>,
    next: usize,
    decoded: Vec<u8>,
}

#[derive(Default)]
struct Block {
    offset: u64,
    bytes: Vec<u8>,
}

impl Block {
    fn get(&self, offset: u64, len: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(offset.checked_sub(self.offset)?).ok()?;
        (start + len <= self.bytes.len()).then(|| start..start + len)
    }
}

impl Windows {
    /// Without any block.
    pub fn new() -> Windows {
        Windows::default()
    }

    /// The payload at a place, decoded.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn read<'a>(&'a mut self, source: &'a Source, place: Place) -> io::Result<&'a [u8]> {
        let len = place.len as usize;
        let (block, range) = match source {
            Source::Memory(bytes) => {
                let start = usize::try_from(place.offset).unwrap_or(usize::MAX);
                let end = start.checked_add(len).filter(|end| *end <= bytes.len());
                let bytes = end.map(|end| &bytes[start..end]).ok_or(io::ErrorKind::UnexpectedEof)?;
                return decode(&mut self.decoded, bytes, place.encoding);
            }
            Source::File(_) => self.block(source, place.offset, len)?,
        };
        decode(&mut self.decoded, &self.blocks[block].bytes[range], place.encoding)
    }

    /// The bytes of a record's message: its part of the frame.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn message<'a>(&'a mut self, source: &'a Source, record: &Record) -> io::Result<&'a [u8]> {
        let whole = self.read(source, record.place())?;
        if record.part_len == 0 {
            return Ok(whole);
        }
        let start = record.part_start as usize;
        Ok(whole.get(start..start + record.part_len as usize).unwrap_or(whole))
    }

    /// The block that holds a place.
    fn block(&mut self, source: &Source, offset: u64, len: usize) -> io::Result<(usize, std::ops::Range<usize>)> {
        if let Some(found) = self.blocks.iter().enumerate().find_map(|(i, b)| Some((i, b.get(offset, len)?))) {
            return Ok(found);
        }
        let Source::File(file) = source else { return Err(io::ErrorKind::Unsupported.into()) };
        if self.blocks.len() < BLOCKS {
            self.blocks.push(Block::default());
        }
        self.next = (self.next + 1) % self.blocks.len();
        let block = &mut self.blocks[self.next];
        // A block of its own for a long payload is given back with the next one.
        block.bytes.clear();
        block.bytes.shrink_to(BLOCK);
        block.bytes.resize(len.max(BLOCK), 0);
        block.offset = offset;
        let mut have = 0;
        while have < block.bytes.len() {
            match std::os::unix::fs::FileExt::read_at(file, &mut block.bytes[have..], offset + have as u64) {
                Ok(0) => break,
                Ok(n) => have += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    block.bytes.clear();
                    return Err(e);
                }
            }
        }
        block.bytes.truncate(have);
        let range = block.get(offset, len).ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((self.next, range))
    }
}

fn decode<'a>(out: &'a mut Vec<u8>, bytes: &'a [u8], encoding: Encoding) -> io::Result<&'a [u8]> {
    match encoding {
        Encoding::Verbatim | Encoding::Memory => return Ok(bytes),
        Encoding::JsonString if memchr::memchr(b'\\', bytes).is_none() => return Ok(bytes),
        Encoding::JsonString => {
            out.clear();
            decode_bytes(bytes, out);
        }
        Encoding::Base64 => {
            use base64::Engine as _;
            out.clear();
            base64::engine::general_purpose::STANDARD.decode_vec(bytes, out).map_err(io::Error::other)?;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_same_as_reading_each() {
        let mut file = tempfile::tempfile().unwrap();
        let mut places = Vec::new();
        let mut offset = 0u64;
        let mut add = |text: &[u8], encoding| {
            file.write_all(text).unwrap();
            places.push(Place { offset, len: text.len() as u32, encoding });
            offset += text.len() as u64;
        };
        for i in 0..200 {
            add("x".repeat(i * 150).as_bytes(), Encoding::Verbatim);
            add(format!("a\\n{i}").as_bytes(), Encoding::JsonString);
            add(b"plain", Encoding::JsonString);
            add(b"//4=", Encoding::Base64);
        }
        add(&vec![b'y'; BLOCK + 5], Encoding::Verbatim);
        add(b"end", Encoding::Verbatim);
        let source = Source::File(file);
        let mut windows = Windows::new();
        // There and back, so that blocks are left and come again.
        for place in places.iter().chain(places.iter().rev()) {
            assert_eq!(windows.read(&source, *place).unwrap(), source.read(*place).unwrap());
        }
        let beyond = Place { offset: offset - 1, len: 2, encoding: Encoding::Verbatim };
        assert!(windows.read(&source, beyond).is_err());
    }
}
