//! Rules of stdio framing, process life, HTTP and SSE.

mod cancelled_over_http;
mod deprecated_http_sse;
mod http_accept;
mod http_cancel_by_close;
mod http_content_type_request;
mod http_content_type_response;
mod http_get_in_modern;
mod http_get_status;
mod http_header_encoding;
mod http_header_mismatch_accepted;
mod http_header_refusal_code;
mod http_header_refused_wrongly;
mod http_method_header;
mod http_name_header;
mod http_origin_accepted;
mod http_param_header;
mod http_redirect;
mod http_redirect_followed_by_get;
mod http_resume_in_modern;
mod http_session_demanded;
mod http_session_expired_reused;
mod http_session_in_modern;
mod http_session_missing;
mod http_session_status;
mod http_status_error;
mod http_status_notification;
mod http_version_header_mismatch;
mod http_version_header_missing;
mod json_embedded_newline;
mod json_trailing_data;
mod lsp_framing;
mod mirror;
mod spawn_failed;
mod sse_buffering_header;
mod sse_closed_without_response;
mod sse_endpoint;
mod sse_event_invalid;
mod sse_wrong_stream;
mod stderr_at_failure;
mod stdio_noise;
mod stdio_server_exited;
mod truncated_at_eof;

use super::rule::Rule;
use crate::trace::NONE;
use crate::trace::session::Session;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[
    &cancelled_over_http::RULE,
    &deprecated_http_sse::RULE,
    &http_accept::RULE,
    &http_cancel_by_close::RULE,
    &http_content_type_request::RULE,
    &http_content_type_response::RULE,
    &http_get_in_modern::RULE,
    &http_get_status::RULE,
    &http_header_encoding::RULE,
    &http_header_mismatch_accepted::RULE,
    &http_header_refusal_code::RULE,
    &http_header_refused_wrongly::RULE,
    &http_method_header::RULE,
    &http_name_header::RULE,
    &http_origin_accepted::RULE,
    &http_param_header::RULE,
    &http_redirect::RULE,
    &http_redirect_followed_by_get::RULE,
    &http_resume_in_modern::RULE,
    &http_session_demanded::RULE,
    &http_session_expired_reused::RULE,
    &http_session_in_modern::RULE,
    &http_session_missing::RULE,
    &http_session_status::RULE,
    &http_status_error::RULE,
    &http_status_notification::RULE,
    &http_version_header_mismatch::RULE,
    &http_version_header_missing::RULE,
    &json_embedded_newline::RULE,
    &json_trailing_data::RULE,
    &lsp_framing::RULE,
    &spawn_failed::RULE,
    &sse_buffering_header::RULE,
    &sse_closed_without_response::RULE,
    &sse_endpoint::RULE,
    &sse_event_invalid::RULE,
    &sse_wrong_stream::RULE,
    &stderr_at_failure::RULE,
    &stdio_noise::RULE,
    &stdio_server_exited::RULE,
    &truncated_at_eof::RULE,
];

/// The server has not written a byte to its output.
fn says_nothing(session: &Session) -> bool {
    let trouble = &session.trouble[1];
    session.last_message[1] == NONE && trouble.unreadable == NONE && trouble.refusable == 0
}
