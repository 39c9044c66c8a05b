//! Bodies that tell the recorder what passes through them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::endpoint::Rewriter;
use super::exchange::{Answering, Exchange};
use super::sniff::fields_of;
use crate::wire::frame::{Dir, HttpEnd};

/// The request's body on its way to the server.
pub struct Upload {
    inner: Incoming,
    exchange: Arc<Exchange>,
    over: bool,
}

impl Upload {
    /// Over what comes from the client.
    pub fn new(inner: Incoming, exchange: Arc<Exchange>) -> Upload {
        let mut upload = Upload { inner, exchange, over: false };
        upload.look_for_end();
        upload
    }

    /// A body of known length has ended with its last byte; nobody may ask for more.
    fn look_for_end(&mut self) {
        if !self.over && self.inner.is_end_stream() {
            self.over = true;
            self.exchange.end_of_body(Dir::C2s, Vec::new());
        }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(bytes) = frame.data_ref() {
                    self.exchange.data(Dir::C2s, bytes);
                    self.look_for_end();
                } else if let Some(trailers) = frame.trailers_ref() {
                    self.over = true;
                    self.exchange.end_of_body(Dir::C2s, fields_of(trailers));
                }
            }
            Poll::Ready(None) if !self.over => {
                self.over = true;
                self.exchange.end_of_body(Dir::C2s, Vec::new());
            }
            Poll::Ready(Some(Err(_))) => self.exchange.client_failed(),
            Poll::Ready(None) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// The response's body on its way to the client.
pub enum Download {
    /// Text of our own.
    Own(Option<Bytes>),
    /// The server's, passed through.
    Through(Through),
}

/// The server's body. Dropped before its end: the client is gone, and the server learns it at once.
pub struct Through {
    inner: Incoming,
    exchange: Answering,
    rewriter: Option<Rewriter>,
    /// Bytes that were read already, and are to go first.
    first: Option<Bytes>,
}

impl Through {
    /// Over what comes from the server. `rewriter`: for a stream that may name the server's address.
    pub fn new(inner: Incoming, exchange: Answering, rewriter: Option<Rewriter>) -> Through {
        let through = Through { inner, exchange, rewriter, first: None };
        through.look_for_end();
        through
    }

    /// The same with bytes that were read (and recorded) already.
    #[must_use]
    pub fn after(mut self, first: Bytes) -> Through {
        self.first = Some(first).filter(|f| !f.is_empty());
        self
    }

    fn look_for_end(&self) {
        if self.inner.is_end_stream() {
            self.exchange.end_of_body(Dir::S2c, Vec::new());
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        loop {
            match Pin::new(&mut self.inner).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    let frame = match frame.into_data() {
                        Ok(bytes) => {
                            // In the record first: what the client does next must stand behind it.
                            self.exchange.data(Dir::S2c, &bytes);
                            self.look_for_end();
                            match self.rewriter.as_mut().map(|r| r.push(&bytes)) {
                                None => bytes,
                                Some(bytes) if bytes.is_empty() => continue,
                                Some(bytes) => bytes,
                            }
                        }
                        Err(frame) => {
                            let trailers = frame.trailers_ref().map(fields_of).unwrap_or_default();
                            self.exchange.end_of_body(Dir::S2c, trailers);
                            return Poll::Ready(Some(Ok(frame)));
                        }
                    };
                    return Poll::Ready(Some(Ok(Frame::data(frame))));
                }
                Poll::Ready(None) => {
                    let left = self.rewriter.take().map(|r| r.finish()).filter(|left| !left.is_empty());
                    self.exchange.end_of_body(Dir::S2c, Vec::new());
                    return Poll::Ready(left.map(|left| Ok(Frame::data(left))));
                }
                Poll::Ready(Some(Err(failure))) => {
                    self.exchange.cut(HttpEnd::Reset);
                    return Poll::Ready(Some(Err(failure)));
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

impl Body for Download {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut *self {
            Download::Own(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Download::Through(through) => through.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Download::Own(text) => text.is_none(),
            Download::Through(through) => {
                through.rewriter.is_none() && through.first.is_none() && through.inner.is_end_stream()
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Download::Own(text) => SizeHint::with_exact(text.as_ref().map_or(0, |t| t.len() as u64)),
            Download::Through(through) if through.rewriter.is_some() || through.first.is_some() => SizeHint::default(),
            Download::Through(through) => through.inner.size_hint(),
        }
    }
}
