//! Rules of access and secrets.

mod access_401_no_challenge;
mod access_403_no_scope;
mod access_login_page;
mod access_refusal_in_jsonrpc_error;
mod access_refusal_in_tool_result;
mod access_refused;
mod access_token_dropped;
mod refusal;
mod secret_header;
mod secret_in_payload;
mod secret_in_url;
mod user_declined;

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[
    &access_401_no_challenge::RULE,
    &access_403_no_scope::RULE,
    &access_login_page::RULE,
    &access_refusal_in_jsonrpc_error::RULE,
    &access_refusal_in_tool_result::RULE,
    &access_refused::RULE,
    &access_token_dropped::RULE,
    &secret_header::RULE,
    &secret_in_payload::RULE,
    &secret_in_url::RULE,
    &user_declined::RULE,
];
