//! `weather`: required and optional arguments, an enum, a nested object, and a structured result.

use serde_json::{Value, json};

use super::{Cx, Tool, failure, read_only, structured};
use crate::peer::demo::request::Answer;

/// Cities with a station; others are a failure of the tool.
pub(in crate::peer::demo) const CITIES: [&str; 5] = ["Athens", "Bergen", "Berlin", "Lisbon", "Oslo"];

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "weather", describe, call };

fn describe() -> Value {
    json!({
        "name": "weather", "title": "Weather", "description": "Forecast for a city",
        "inputSchema": {
            "type": "object",
            "properties": {
                "city": { "type": "string", "minLength": 1, "description": "Name of the city", "examples": ["Bergen"] },
                "unit": { "type": "string", "enum": ["celsius", "fahrenheit"], "description": "Unit of the temperature" },
                "days": { "type": "integer", "minimum": 1, "maximum": 7, "default": 2 },
                "place": {
                    "type": "object", "description": "Exact place, if the name is not enough",
                    "properties": {
                        "lat": { "type": "number", "minimum": -90, "maximum": 90 },
                        "lon": { "type": "number", "minimum": -180, "maximum": 180 },
                    },
                    "required": ["lat", "lon"], "additionalProperties": false,
                },
            },
            "required": ["city", "unit"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "city": { "type": "string" },
                "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] },
                "days": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": { "high": { "type": "number" }, "sky": { "type": "string" } },
                        "required": ["high", "sky"],
                    },
                },
            },
            "required": ["city", "unit", "days"],
        },
        "annotations": read_only(),
    })
}

fn call(_: &Cx<'_>, arguments: &Value) -> Answer {
    let city = arguments["city"].as_str().unwrap_or_default();
    let unit = arguments["unit"].as_str().unwrap_or("celsius");
    let Some(index) = CITIES.iter().position(|known| known.eq_ignore_ascii_case(city)) else {
        return Ok(failure(format!("no weather station in {city}")));
    };
    let count = arguments["days"].as_u64().unwrap_or(2);
    let days: Vec<Value> = (0..count)
        .map(|day| {
            let celsius = 8.5 + 3.0 * index as f64 + day as f64;
            let high = if unit == "fahrenheit" { celsius * 1.8 + 32.0 } else { celsius };
            let sky = ["rain", "clouds", "sun"][(index + day as usize) % 3];
            json!({ "high": high, "sky": sky })
        })
        .collect();
    Ok(structured(json!({ "city": CITIES[index], "unit": unit, "days": days })))
}
