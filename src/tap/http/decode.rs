//! Content codings undone for the record; the wire keeps the bytes as they came.

use std::io::{self, Read as _, Write};

use brotli_decompressor::writer::DecompressorWriter;
use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;

/// Takes encoded bytes in pieces and gives the decoded ones as soon as they can be had.
pub struct Decoder {
    coding: Coding,
    room: usize,
}

enum Coding {
    Gzip(Box<GzDecoder<Room>>),
    /// The first byte tells whether the zlib format is used, as the standard says, or not, as some servers do.
    Deflate,
    Zlib(Box<ZlibDecoder<Room>>),
    Raw(Box<DeflateDecoder<Room>>),
    Brotli(Box<DecompressorWriter<Room>>),
    /// Decoded when all is there: its decoder gives nothing out before its window is full.
    Zstd(Vec<u8>),
}

/// Where decoded bytes go, as long as there is room: a small body may hold a bomb.
#[derive(Default)]
struct Room {
    bytes: Vec<u8>,
    left: usize,
    full: bool,
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fit = bytes.len().min(self.left);
        self.bytes.extend_from_slice(&bytes[..fit]);
        self.left -= fit;
        if fit < bytes.len() {
            self.full = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(fit)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Why there is no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// These are no bytes of that coding.
    Broken,
    /// More came out than there is room for.
    Full,
}

impl Decoder {
    /// For a Content-Encoding. `None`: it is not known here, or there are several. `room`: so many bytes may come out.
    pub fn new(coding: &str, room: usize) -> Option<Decoder> {
        let out = || Room { left: room, ..Room::default() };
        let coding = match coding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Coding::Gzip(Box::new(GzDecoder::new(out()))),
            "deflate" => Coding::Deflate,
            "br" => Coding::Brotli(Box::new(DecompressorWriter::new(out(), 16 << 10))),
            "zstd" => Coding::Zstd(Vec::new()),
            _ => return None,
        };
        Some(Decoder { coding, room })
    }

    /// Takes the next encoded bytes and appends what they give to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Stop> {
        if let (Coding::Deflate, Some(first)) = (&self.coding, bytes.first()) {
            let room = Room { left: self.room, ..Room::default() };
            self.coding = if first & 0x0f == 8 {
                Coding::Zlib(Box::new(ZlibDecoder::new(room)))
            } else {
                Coding::Raw(Box::new(DeflateDecoder::new(room)))
            };
        }
        let fed = match &mut self.coding {
            Coding::Gzip(d) => feed(d.as_mut(), bytes),
            Coding::Zlib(d) => feed(d.as_mut(), bytes),
            Coding::Raw(d) => feed(d.as_mut(), bytes),
            Coding::Brotli(d) => feed(d.as_mut(), bytes),
            Coding::Deflate => Ok(()),
            Coding::Zstd(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
        };
        let room = match &mut self.coding {
            Coding::Gzip(d) => d.get_mut(),
            Coding::Zlib(d) => d.get_mut(),
            Coding::Raw(d) => d.get_mut(),
            Coding::Brotli(d) => d.get_mut(),
            Coding::Deflate | Coding::Zstd(_) => return Ok(()),
        };
        out.append(&mut room.bytes);
        match fed {
            _ if room.full => Err(Stop::Full),
            Err(_) => Err(Stop::Broken),
            Ok(()) => Ok(()),
        }
    }

    /// The body has ended.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Stop> {
        // A stream that is not whole fails here.
        let whole = match &mut self.coding {
            Coding::Gzip(d) => d.try_finish(),
            Coding::Zlib(d) => d.try_finish(),
            Coding::Raw(d) => d.try_finish(),
            Coding::Brotli(d) => d.close(),
            Coding::Deflate | Coding::Zstd(_) => Ok(()),
        };
        let Coding::Zstd(all) = &mut self.coding else { return whole.map_err(|_| Stop::Broken) };
        let all = std::mem::take(all);
        if all.is_empty() {
            return Ok(());
        }
        let mut source = &all[..];
        let decoder = StreamingDecoder::new(&mut source).map_err(|_| Stop::Broken)?;
        let before = out.len();
        decoder.take(self.room as u64 + 1).read_to_end(out).map_err(|_| Stop::Broken)?;
        if out.len() - before > self.room {
            out.truncate(before + self.room);
            return Err(Stop::Full);
        }
        Ok(())
    }
}

fn feed(decoder: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match decoder.write(bytes)? {
            // The coded data has ended: what follows it is no part of the body.
            0 => break,
            n => bytes = &bytes[n..],
        }
    }
    decoder.flush()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use flate2::Compression;

    fn decode(coding: &str, bytes: &[u8], piece: usize, room: usize) -> (Vec<u8>, Result<(), Stop>) {
        let mut decoder = Decoder::new(coding, room).unwrap();
        let mut out = Vec::new();
        let all = bytes.chunks(piece).try_for_each(|part| decoder.push(part, &mut out));
        (0, all.and_then(|()| decoder.finish(&mut out)))
            .1
            .map_or_else(|e| (out.clone(), Err(e)), |()| (out.clone(), Ok(())))
    }

    #[test]
    fn every_coding_in_any_pieces() {
        let text = b"{\"jsonrpc\":\"2.0\",\"result\":{}} ".repeat(50);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&text).unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(&text).unwrap();
        let zstd = ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
        let coded = [
            ("gzip", gzip.finish().unwrap()),
            ("deflate", zlib.finish().unwrap()),
            ("Deflate", raw.finish().unwrap()),
            ("zstd", zstd),
        ];
        for (coding, bytes) in coded {
            for piece in [1, 7, 4096] {
                assert_eq!(decode(coding, &bytes, piece, 1 << 20), (text.clone(), Ok(())), "{coding} by {piece}");
            }
            let (cut, why) = decode(coding, &bytes, 64, 100);
            assert_eq!((cut.len(), why), (100, Err(Stop::Full)), "{coding}");
            assert_eq!(decode(coding, b"(this is no coded text at all)", 9, 100).1, Err(Stop::Broken), "{coding}");
        }
        assert!(Decoder::new("gzip, br", 1).is_none());
    }

    #[test]
    fn brotli() {
        // "hello" in an uncompressed meta-block, and the empty last one.
        let bytes = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];
        assert_eq!(decode("br", &bytes, 1, 100), (b"hello".to_vec(), Ok(())));
        assert_eq!(decode("br", &bytes, 99, 3), (b"hel".to_vec(), Err(Stop::Full)));
        assert_eq!(decode("br", &[0xff; 20], 99, 3).1, Err(Stop::Broken));
    }

    #[test]
    fn what_is_written_with_flushes_comes_out_at_once() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
        let mut decoder = Decoder::new("gzip", 1 << 20).unwrap();
        for n in 0..5 {
            gzip.write_all(format!("data: {n}\n\n").as_bytes()).unwrap();
            gzip.flush().unwrap();
            let mut out = Vec::new();
            decoder.push(&std::mem::take(gzip.get_mut()), &mut out).unwrap();
            assert_eq!(out, format!("data: {n}\n\n").into_bytes());
        }
    }
}
