//! The script of `mcpscope demo` shows what it promises.

use std::sync::{Arc, Mutex};

use mcpscope::peer::client::ConnectError;
use mcpscope::peer::demo::Options;
use mcpscope::peer::demo::faults::FaultSet;
use mcpscope::peer::script::{self, Pace};
use mcpscope::wire::frame::Dir;

use super::{Running, server};

#[test]
fn the_script_runs_in_both_eras_and_every_step_leaves_its_mark() {
    let running: Arc<Mutex<Vec<Running>>> = Arc::default();
    let kept = running.clone();
    script::run::<ConnectError>(Pace::FAST, move || {
        let (transport, server) = server(&Options::all_revisions(), FaultSet::NONE);
        kept.lock().unwrap().push(server);
        Ok(transport)
    })
    .unwrap();
    let mut ended = Vec::new();
    for running in running.lock().unwrap().drain(..) {
        let status = running.server.join().unwrap();
        ended.push((status, running.log.lines(Dir::C2s), running.log.lines(Dir::S2c)));
    }
    let [(crashed, modern_c2s, modern_s2c), (fine, legacy_c2s, legacy_s2c)] = &ended[..] else { panic!("two servers") };
    assert_eq!((*crashed, *fine), (3, 0));

    let has = |lines: &[String], part: &str| assert!(lines.iter().any(|line| line.contains(part)), "no {part}");
    for part in [
        "input_required",
        "\"isError\":true",
        "-32602",
        "nobody-asked",
        "Listening for requests",
        "subscriptions/acknowledged",
        "resources/updated",
        "tools/list_changed",
        "prompts/list_changed",
        "notifications/progress",
        "\\u001b]0;",
    ] {
        has(modern_s2c, part);
    }
    for part in ["requestState", "notifications/cancelled", "subscriptions/listen"] {
        has(modern_c2s, part);
    }
    for part in
        ["elicitation/create", "notifications/message", "resources/updated", "tools/list_changed", "NaN", "\u{feff}"]
    {
        has(legacy_s2c, part);
    }
    has(legacy_c2s, "\"action\":\"accept\"");
    assert!(!legacy_s2c.last().unwrap().ends_with('}'), "the last line is cut off");
}
