//! Rules of the envelope and of pairing.

mod batch_malformed;
mod batch_not_allowed;
mod batch_refused;
mod envelope_extra_member;
mod envelope_unrecognised;
mod error_code_legacy_range;
mod error_code_not_integer;
mod error_code_reserved_jsonrpc;
mod error_code_reserved_mcp;
mod error_code_retired;
mod error_id_lost;
mod error_shape;
mod error_without_id;
mod id_null;
mod id_reused_in_flight;
mod id_reused_in_session;
mod id_type_changed;
mod id_wrong_type;
mod jsonrpc_version;
mod notification_answered;
mod notification_with_id;
mod params_not_object;
mod parse_error_for_valid_json;
mod request_abandoned;
mod request_slow;
mod request_unanswered;
mod request_without_id;
mod response_ambiguous;
mod response_both;
mod response_duplicate;
mod response_id_missing;
mod response_neither;
mod response_unknown_id;
mod result_not_object;

use super::cx::{Cx, TextClass};
use super::rule::Rule;
use crate::trace::Message;
use crate::trace::session::{Answer, How};
use crate::wire::json::{Kind, Value};

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[
    &batch_malformed::RULE,
    &batch_not_allowed::RULE,
    &batch_refused::RULE,
    &envelope_extra_member::RULE,
    &envelope_unrecognised::RULE,
    &error_code_legacy_range::RULE,
    &error_code_not_integer::RULE,
    &error_code_reserved_jsonrpc::RULE,
    &error_code_reserved_mcp::RULE,
    &error_code_retired::RULE,
    &error_id_lost::RULE,
    &error_shape::RULE,
    &error_without_id::RULE,
    &id_null::RULE,
    &id_reused_in_flight::RULE,
    &id_reused_in_session::RULE,
    &id_type_changed::RULE,
    &id_wrong_type::RULE,
    &jsonrpc_version::RULE,
    &notification_answered::RULE,
    &notification_with_id::RULE,
    &params_not_object::RULE,
    &parse_error_for_valid_json::RULE,
    &request_abandoned::RULE,
    &request_slow::RULE,
    &request_unanswered::RULE,
    &request_without_id::RULE,
    &response_ambiguous::RULE,
    &response_both::RULE,
    &response_duplicate::RULE,
    &response_id_missing::RULE,
    &response_neither::RULE,
    &response_unknown_id::RULE,
    &result_not_object::RULE,
];

/// The array of messages that a text is, empty or not.
fn batch<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    use TextClass::{CutOff, Joined, Message, TwoMessages};
    let text = cx.text.filter(|t| matches!(t.class, Message | TwoMessages | Joined | CutOff))?;
    let root = text.doc.root().filter(|r| r.is_array())?;
    let first = root.elements().next();
    first.is_none_or(|e| e.kind() == Kind::Object).then_some(root)
}

/// `error.code`, where it is an integer.
fn code_of<'a>(cx: &Cx<'a>) -> Option<(Value<'a>, i64)> {
    let value = cx.msg()?.env.error?.get("code")?;
    Some((value, value.as_i64()?))
}

/// The message has an id that is not null.
fn has_id(message: &Message<'_>) -> bool {
    message.env.id.is_some_and(|id| !id.is_null())
}

/// Whether an error without id has lost it: only one request can be meant, and no HTTP status tells the caller that
/// this one was refused.
fn is_lost(cx: &Cx<'_>, answer: &Answer) -> bool {
    match answer.how {
        How::Lost => true,
        How::Stream => cx.stream.and_then(|s| s.status()).is_none_or(|s| s < 400),
        _ => false,
    }
}

/// A duration for people.
fn seconds(micros: i64) -> String {
    match micros {
        0..10_000_000 => format!("{:.1} s", micros as f64 / 1e6),
        _ => format!("{} s", micros / 1_000_000),
    }
}
