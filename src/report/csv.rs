//! Exchanges as CSV (RFC 4180), for spreadsheets.

use std::io::{self, Write};

use super::json::JsonExchange;
use crate::query::size_of;
use crate::trace::{Row, Severity, Store};

/// Writes a header line and a line for each exchange of the rows.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, store: &Store, rows: &[Row]) -> io::Result<()> {
    out.write_all(b"n,line,time_s,from,method,target,outcome,code,latency_ms,bytes,errors,warnings,infos\r\n")?;
    for row in rows {
        let Row::Exchange(index) = *row else { continue };
        let exchange = &store.exchanges[index as usize];
        let Some(first) = store.record(exchange.first()) else { continue };
        let json = JsonExchange::new(store, index, exchange);
        let findings = store.findings_of_exchange(index);
        let count = |severity| {
            findings.iter().filter_map(|i| store.finding(*i)).filter(|f| f.severity == severity).count().to_string()
        };
        let code = store.codes.get(&index).map(i64::to_string).unwrap_or_default();
        let time = if store.timeless { String::new() } else { format!("{:.6}", first.t as f64 / 1e6) };
        let latency = json.latency_us().map(|us| format!("{:.3}", us as f64 / 1e3)).unwrap_or_default();
        let fields = [
            (index + 1).to_string(),
            first.line.to_string(),
            time,
            exchange.dir.sender().as_str().to_owned(),
            store.method_of(exchange).unwrap_or_default().to_owned(),
            store.target_of(exchange).unwrap_or_default().to_owned(),
            exchange.outcome.as_str().to_owned(),
            code,
            latency,
            size_of(store, *row).to_string(),
            count(Severity::Error),
            count(Severity::Warning),
            count(Severity::Info),
        ];
        let line: Vec<String> = fields.iter().map(|f| field(f)).collect();
        out.write_all(line.join(",").as_bytes())?;
        out.write_all(b"\r\n")?;
    }
    Ok(())
}

/// A field, quoted where it must be. What a spreadsheet would take for a formula gets an apostrophe before it: names come
/// from the wire.
fn field(text: &str) -> String {
    let number = text.parse::<f64>().is_ok();
    let formula = !number && text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_are_no_formulas() {
        assert_eq!(field("add"), "add");
        assert_eq!(field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(field("=cmd()"), "'=cmd()");
        assert_eq!(field("-1.5"), "-1.5");
        assert_eq!(field("-x"), "'-x");
    }
}
