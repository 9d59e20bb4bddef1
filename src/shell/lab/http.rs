//! As much HTTP/1.1 as a client of a model provider speaks, bounded.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;

/// Most bytes of request line and headers.
const HEAD_LIMIT_BYTES: u64 = 64 << 10;
/// Most bytes of a request body.
const BODY_LIMIT_BYTES: u64 = 64 << 20;

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, ...
    pub method: String,
    /// Path with its query; the scheme and host of a proxied request are in `host`.
    pub target: String,
    /// Names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The first header of this name, given in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The path without its query.
    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// The requests of one connection, until it ends; an error is the last item.
pub fn requests(stream: impl Read + Write) -> impl Iterator<Item = io::Result<Request>> {
    let mut reader = Some(BufReader::new(stream));
    std::iter::from_fn(move || {
        let request = read_request(reader.as_mut()?).transpose();
        if !matches!(request, Some(Ok(_))) {
            reader = None;
        }
        request
    })
}

/// Reads one request; `None` at an orderly end of the connection.
///
/// # Errors
/// When the connection breaks, the request is over a limit or is no HTTP.
pub(super) fn read_request<S: Read + Write>(reader: &mut BufReader<S>) -> io::Result<Option<Request>> {
    let mut budget = HEAD_LIMIT_BYTES;
    let Some(first) = head_line(reader, &mut budget)? else { return Ok(None) };
    let mut parts = first.split(' ');
    let (Some(method), Some(target), Some(version)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(no_http("the request line"));
    };
    if !version.starts_with("HTTP/1.") {
        return Err(no_http("the version"));
    }
    let mut headers = Vec::new();
    loop {
        let line = head_line(reader, &mut budget)?.ok_or_else(|| no_http("the end of the headers"))?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| no_http("a header"))?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request =
        Request { method: method.to_owned(), target: origin_form(target).to_owned(), headers, body: Vec::new() };
    if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body = body(reader, &request)?;
    Ok(Some(request))
}

/// A client that was given the lab as its plain HTTP proxy sends the whole address.
fn origin_form(target: &str) -> &str {
    match target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    }
}

fn no_http(part: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{part} is no HTTP"))
}

fn head_line(reader: &mut BufReader<impl Read>, budget: &mut u64) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let count = reader.take(*budget).read_until(b'\n', &mut line)?;
    *budget -= count as u64;
    if count == 0 {
        return if *budget == 0 { Err(no_http("a request head over 64 KiB")) } else { Ok(None) };
    }
    let line = line.strip_suffix(b"\n").ok_or_else(|| no_http("a cut line"))?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Ok(Some(String::from_utf8_lossy(line).into_owned()))
}

fn body(reader: &mut BufReader<impl Read>, request: &Request) -> io::Result<Vec<u8>> {
    if request.header("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().contains("chunked")) {
        return chunked_body(reader);
    }
    let length = match request.header("content-length") {
        Some(length) => length.parse::<u64>().map_err(|_| no_http("the content length"))?,
        None => 0,
    };
    exactly(reader, length)
}

fn chunked_body(reader: &mut BufReader<impl Read>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut budget = 1_024;
        let line = head_line(reader, &mut budget)?.ok_or_else(|| no_http("a chunk"))?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| no_http("the size of a chunk"))?;
        if size == 0 {
            while head_line(reader, &mut budget)?.is_some_and(|trailer| !trailer.is_empty()) {}
            return Ok(body);
        }
        if size > BODY_LIMIT_BYTES.saturating_sub(body.len() as u64) {
            return Err(no_http("a body over 64 MiB"));
        }
        body.extend(exactly(reader, size)?);
        head_line(reader, &mut budget)?;
    }
}

fn exactly(reader: &mut BufReader<impl Read>, length: u64) -> io::Result<Vec<u8>> {
    if length > BODY_LIMIT_BYTES {
        return Err(no_http("a body over 64 MiB"));
    }
    let mut body = Vec::new();
    let count = reader.take(length).read_to_end(&mut body)?;
    if count as u64 == length { Ok(body) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The reason phrase of a status; providers invent some that no registry knows.
const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        413 => "Payload Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        529 => "Overloaded",
        _ => "Error",
    }
}

/// Writes one whole response. Without a body for `HEAD`.
///
/// # Errors
/// When the client is gone.
pub(super) fn respond(
    stream: &mut TcpStream,
    status: u16,
    content_type: &str,
    headers: &[(String, String)],
    body: &str,
    head_only: bool,
) -> io::Result<()> {
    let mut text = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n",
        reason(status),
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    if !head_only {
        text.push_str(body);
    }
    stream.write_all(text.as_bytes())
}

/// Opens an event stream.
///
/// # Errors
/// When the client is gone.
pub(super) fn open_events(stream: &mut TcpStream, headers: &[(String, String)]) -> io::Result<()> {
    let mut text = String::from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n\
         transfer-encoding: chunked\r\n",
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes())
}

/// Sends one event as one chunk.
///
/// # Errors
/// When the client is gone.
pub(super) fn send_event(stream: &mut TcpStream, name: Option<&str>, data: &str) -> io::Result<()> {
    let name = name.map_or_else(String::new, |name| format!("event: {name}\n"));
    let event = format!("{name}data: {data}\n\n");
    stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
}

/// Ends an event stream in order.
///
/// # Errors
/// When the client is gone.
pub(super) fn close_events(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}

/// Makes the connection end with a reset instead of an orderly close once every handle to it is dropped.
pub(super) fn reset(stream: &TcpStream) {
    // A socket that is already gone is as good as reset.
    let _ = rustix::net::sockopt::set_socket_linger(stream, Some(std::time::Duration::ZERO));
}
