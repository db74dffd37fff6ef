//! As much of HTTP/1.1 as a scripted model needs: one request per connection, and server-sent events.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::Value;

/// A request.
pub struct Asked {
    pub method: String,
    pub path: String,
    pub body: Vec<u8>,
}

/// Listens on a free port of loopback as long as the test lives, and answers each request in a thread of its own. The port.
pub fn listen(answer: impl Fn(&Asked, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            // A client that goes away in the middle is no concern of the test.
            std::thread::spawn(move || drop(read(&stream).and_then(|asked| answer(&asked, &mut stream))));
        }
    });
    port
}

fn read(stream: &TcpStream) -> io::Result<Asked> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Asked { method, path, body })
}

/// A whole answer, JSON.
pub fn whole(stream: &mut TcpStream, status: u16, body: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\nrequest-id: req_scripted\r\nx-should-retry: false\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )?;
    stream.flush()
}

/// A stream of events, each named by its `type`.
pub fn events(stream: &mut TcpStream, events: &[Value]) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\nrequest-id: req_scripted\r\nconnection: close\r\n\r\n"
    )?;
    for event in events {
        write!(stream, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())?;
    }
    stream.flush()
}
