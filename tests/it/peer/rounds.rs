//! Several rounds of questions (2026-07-28), as a server asks them that is not ours.

use std::io::{BufRead, BufReader, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use mcpscope::peer::client::{Abilities, Answer, Answerer, Client, Nobody, Options, Question, Transport};
use serde_json::Value;

use super::PATIENCE;

/// A modern server that answers each tools/call with the next of these results, and notes what it was sent.
fn server(results: &'static [&'static str], answerer: Arc<dyn Answerer>) -> (Client, Arc<Mutex<Vec<String>>>) {
    let (hear, to_server) = std::io::pipe().unwrap();
    let (from_server, mut say) = std::io::pipe().unwrap();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let note = heard.clone();
    thread::spawn(move || {
        let mut results = results.iter();
        for line in BufReader::new(hear).lines().map_while(Result::ok) {
            let message: Value = serde_json::from_str(&line).unwrap();
            let result = if message["method"] == "server/discover" {
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}"#
            } else {
                note.lock().unwrap().push(line);
                results.next().copied().unwrap_or("{}")
            };
            writeln!(say, r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, message["id"]).unwrap();
        }
    });
    let options = Options { answerer, timeout: PATIENCE, ..Options::default() };
    (Client::connect(Transport::lines(from_server, to_server), options).unwrap(), heard)
}

const DONE: &str = r#"{"resultType":"complete","content":[]}"#;

/// Answers everything but URLs.
struct All;

impl Answerer for All {
    fn abilities(&self) -> Abilities {
        Abilities { form: true, url: false, sampling: true, roots: true }
    }

    fn answer(&self, question: &Question<'_>) -> Answer {
        match (question.method, question.key) {
            ("roots/list", Some("here")) => Answer::Result(r#"{"roots":[{"uri":"file:///tmp"}]}"#.to_owned()),
            ("sampling/createMessage", Some("say")) => {
                Answer::Result(r#"{"role":"assistant","content":{"type":"text","text":"7"},"model":"none"}"#.to_owned())
            }
            _ => Answer::decline(),
        }
    }
}

#[test]
fn a_retry_has_all_answers_the_same_state_and_a_new_id() {
    let (client, heard) = server(
        &[
            r#"{"resultType":"input_required","inputRequests":{"here":{"method":"roots/list"},"say":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}},"f":{"method":"elicitation/create","params":{"message":"?"}}},"requestState":"\u0041\/b"}"#,
            r#"{"resultType":"input_required","requestState":"second"}"#,
            DONE,
        ],
        Arc::new(All),
    );
    let arguments = r#"{"n": 1.0}"#;
    let answer = client.call_tool("x", arguments, PATIENCE, |_| ()).unwrap();
    assert!(answer.is_ok());
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 3);
    let ids: Vec<Value> = heard.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()).collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
    assert!(heard.iter().all(|line| line.contains(arguments)));
    // The state goes back byte for byte, escapes and all.
    assert!(heard[1].contains(r#""requestState":"\u0041\/b""#), "{}", heard[1]);
    let sent: Value = serde_json::from_str(&heard[1]).unwrap();
    let responses = &sent["params"]["inputResponses"];
    assert_eq!(responses["here"]["roots"][0]["uri"], "file:///tmp");
    assert_eq!(responses["say"]["model"], "none");
    assert_eq!(responses["f"]["action"], "decline");
    // Only a state: the retry has no answers.
    assert!(heard[2].contains(r#""requestState":"second""#) && !heard[2].contains("inputResponses"));
    // What the client can do stands on every request.
    let declared = &sent["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(declared.to_string(), r#"{"elicitation":{"form":{}},"sampling":{},"roots":{}}"#);
}

#[test]
fn a_question_that_nobody_answers_ends_the_call() {
    let question = r#"{"resultType":"input_required","inputRequests":{"f":{"method":"elicitation/create","params":{"message":"?"}}}}"#;
    let (client, heard) = server(Box::leak(Box::new([question, DONE])), Arc::new(Nobody));
    let answer = client.call_tool("x", "{}", PATIENCE, |_| ()).unwrap();
    assert!(answer.is_input_required() && !answer.is_ok());
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[test]
fn a_server_that_asks_for_ever_is_left() {
    let again = r#"{"resultType":"input_required","requestState":"again"}"#;
    let (client, heard) = server(Box::leak(Box::new([again; 50])), Arc::new(All));
    assert!(client.call_tool("x", "{}", PATIENCE, |_| ()).unwrap().is_input_required());
    assert_eq!(heard.lock().unwrap().len(), 11);
}
