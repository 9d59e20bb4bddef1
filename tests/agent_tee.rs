//! The tee: both streams pass byte for byte, the exit code passes through, and the transcript rebuilds both streams.

#![cfg(unix)]
#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "a test that can not go on says so")]
#![expect(clippy::disallowed_methods, reason = "the tests look at files")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use refrain::recording::Recording;
use refrain::recording::write::{Direction, rebuild};
use refrain::shell::agent::{Launch, Recorder, tee};

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

/// Runs `script` behind the tee: (stdout, stderr, shell exit code, transcript).
fn through(script: &str, input: &[u8]) -> (Vec<u8>, Vec<u8>, u8, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let recorder = Recorder::create(&path, &[]).unwrap();
    let launch = Launch { command: vec!["sh".into(), "-c".into(), script.into()], ..Launch::default() };
    let (out, err) = (Sink::default(), Sink::default());
    let outcome = tee(&launch, &recorder, io::Cursor::new(input.to_vec()), out.clone(), err.clone()).unwrap();
    assert!(outcome.complete);
    (out.bytes(), err.bytes(), outcome.exit.shell_code(), std::fs::read_to_string(&path).unwrap())
}

#[test]
fn streams_pass_byte_for_byte_and_the_transcript_rebuilds_them() {
    let long = [b"{\"jsonrpc\":\"2.0\",\"params\":\"".to_vec(), vec![b'x'; 12 << 20], b"\"}\n".to_vec()].concat();
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("plain frames", b"{\"id\":1}\n{\"id\": 2 }\n".to_vec()),
        ("CRLF", b"{\"id\":1}\r\n{\"id\":2}\r\n".to_vec()),
        ("invalid UTF-8", b"\xff\xfe\n{\"a\":\"\xc3\x28\"}\n".to_vec()),
        ("a line of 12 MB", long),
        ("a batch", b"[{\"id\":1},{\"id\":2}]\n".to_vec()),
        ("no line end at the end", b"{\"id\":1}\n{\"id\":2}".to_vec()),
        ("white space, empty lines, NUL", b" {\"id\":1} \n\n\r\n\0\n\t\n".to_vec()),
        ("nothing", Vec::new()),
    ];
    let mut wrong = Vec::new();
    for (name, input) in rows {
        let (out, err, code, transcript) = through("cat; echo 'warn \"x\"' >&2; exit 7", &input);
        let same = |what: &str, got: &[u8], expected: &[u8]| {
            (got != expected).then(|| format!("{name}: {what}: {} bytes, expected {}", got.len(), expected.len()))
        };
        wrong.extend(same("stdout", &out, &input));
        wrong.extend(same("stderr", &err, b"warn \"x\"\n"));
        wrong.extend(same("transcript, to the agent", &rebuild(&transcript, Direction::ToAgent).unwrap(), &input));
        wrong.extend(same("transcript, to the client", &rebuild(&transcript, Direction::ToClient).unwrap(), &input));
        if code != 7 {
            wrong.push(format!("{name}: exit code {code}, expected 7"));
        }
        if let Err(error) = Recording::parse(&transcript) {
            wrong.push(format!("{name}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_signal_that_ends_the_agent_is_what_a_shell_would_say() {
    let (_, _, code, transcript) = through("kill -KILL $$", b"");
    assert_eq!(code, 137);
    assert!(transcript.contains("\"signal\":9"), "{transcript}");
}

#[test]
fn an_agent_that_ends_while_the_editor_still_talks_ends_the_tee() {
    struct Endless;
    impl io::Read for Endless {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            loop {
                std::thread::park();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(&folder.path().join("t.jsonl"), &[]).unwrap();
    let launch = Launch { command: vec!["sh".into(), "-c".into(), "echo out; exit 3".into()], ..Launch::default() };
    let out = Sink::default();
    let outcome = tee(&launch, &recorder, Endless, out.clone(), Sink::default()).unwrap();
    assert_eq!((outcome.exit.code, out.bytes()), (Some(3), b"out\n".to_vec()));
}
