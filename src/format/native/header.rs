//! The header line. There is one a file, so it may be read with serde.

use serde_json::Value;

use crate::format::{Header, Host, Imported};
use crate::trace::Missing;

/// Reads a header line leniently: a member of another type than ours counts as absent. `None` if it is no JSON object.
pub(super) fn read(line: &[u8]) -> Option<Header> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let object = value.as_object()?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let texts = |key: &str| {
        let list = object.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let number = |v: Option<&Value>| v.and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    Some(Header {
        version: number(object.get("mcpscope_trace"))?,
        created: text("created"),
        tool: text("tool"),
        name: text("name"),
        transport: text("transport"),
        command: texts("command"),
        url: text("url"),
        host: object.get("host").and_then(Value::as_object).map(|host| Host {
            name: host.get("name").and_then(Value::as_str).map(str::to_owned),
            pid: number(host.get("pid")),
        }),
        cwd: text("cwd"),
        path: text("path"),
        env: texts("env"),
        sanitized: text("sanitized"),
        imported: object.get("imported").and_then(Value::as_object).map(|imported| {
            let names = imported.get("lacks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            Imported {
                from: imported.get("from").and_then(Value::as_str).unwrap_or_default().to_owned(),
                missing: names.iter().filter_map(|n| Missing::named(n.as_str()?)).fold(Missing::NONE, Missing::with),
                excerpt: imported.get("excerpt").and_then(Value::as_bool).unwrap_or(false),
            }
        }),
        raw: line.to_vec(),
    })
}
