//! Rules of the protocol's own text: lifecycle, capabilities, metadata, lists, inputs, subscriptions, shapes.

mod cache_hints_invalid;
mod cache_hints_missing;
mod cache_invalidated_list_used;
mod cache_scope_differs;
mod cache_stale_list_used;
mod cancel_by_server;
mod cancel_unknown_request;
mod capability_client_undeclared;
mod capability_declared_not_served;
mod capability_error_data;
mod capability_server_undeclared;
mod capability_unannounced_notification;
mod change_without_subscription;
mod client_response_in_modern;
mod cursor_invented;
mod cursor_loop;
mod cursor_reused;
mod deprecated_include_context;
mod deprecated_logging;
mod deprecated_roots;
mod deprecated_sampling;
mod discover_not_implemented;
mod elicit_answer_mismatch;
mod elicit_schema_not_flat;
mod elicit_sensitive_form;
mod elicit_url_invalid;
mod era_fallback;
mod era_fallback_after_modern_error;
mod icon_uri_unsafe;
mod init_cancelled;
mod init_not_first;
mod init_on_modern_connection;
mod init_refused;
mod init_rejected_without_versions;
mod init_request_before_response;
mod init_server_request_early;
mod init_version_downgraded;
mod initialized_missing;
mod input_loop;
mod input_never_retried;
mod input_request_invalid;
mod input_request_undeclared;
mod input_required_empty;
mod input_required_unsupported_method;
mod input_response_shape;
mod input_retry_missing_responses;
mod input_retry_params_changed;
mod input_retry_same_id;
mod input_retry_state;
mod log_below_level;
mod log_without_level;
mod message_after_cancel;
mod meta_key_invalid;
mod meta_key_reserved;
mod meta_missing;
mod meta_missing_accepted;
mod meta_missing_client_capabilities;
mod meta_missing_client_info;
mod meta_missing_protocol_version;
mod meta_missing_server_info;
mod meta_refusal_code;
mod meta_wrong_type;
mod method_not_in_revision;
mod method_unknown;
mod method_wrong_direction;
mod pagination_incomplete;
mod params_invalid;
mod progress_after_response;
mod progress_not_increasing;
mod progress_token_invalid;
mod progress_unknown_token;
mod prompt_call_invalid;
mod resource_empty_contents;
mod resource_not_found_code;
mod resource_updated_not_subscribed;
mod result_invalid;
mod result_type_missing;
mod result_type_unknown;
mod root_uri_not_file;
mod sampling_tools_unbalanced;
mod server_request_in_modern;
mod subscription_ack_narrowed;
mod subscription_before_ack;
mod subscription_id_missing;
mod subscription_id_unknown;
mod subscription_not_acknowledged;
mod subscription_type_not_requested;
mod support;
mod trace_context_invalid;
mod ui_resource_uri;
mod version_error_data;
mod version_not_supported;
mod version_refusal_code;
mod version_unknown;
mod version_wrong_era;

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[
    &cache_hints_invalid::RULE,
    &cache_hints_missing::RULE,
    &cache_invalidated_list_used::RULE,
    &cache_scope_differs::RULE,
    &cache_stale_list_used::RULE,
    &cancel_by_server::RULE,
    &cancel_unknown_request::RULE,
    &capability_client_undeclared::RULE,
    &capability_declared_not_served::RULE,
    &capability_error_data::RULE,
    &capability_server_undeclared::RULE,
    &capability_unannounced_notification::RULE,
    &change_without_subscription::RULE,
    &client_response_in_modern::RULE,
    &cursor_invented::RULE,
    &cursor_loop::RULE,
    &cursor_reused::RULE,
    &deprecated_include_context::RULE,
    &deprecated_logging::RULE,
    &deprecated_roots::RULE,
    &deprecated_sampling::RULE,
    &discover_not_implemented::RULE,
    &elicit_answer_mismatch::RULE,
    &elicit_schema_not_flat::RULE,
    &elicit_sensitive_form::RULE,
    &elicit_url_invalid::RULE,
    &era_fallback::RULE,
    &era_fallback_after_modern_error::RULE,
    &icon_uri_unsafe::RULE,
    &init_cancelled::RULE,
    &init_not_first::RULE,
    &init_on_modern_connection::RULE,
    &init_refused::RULE,
    &init_rejected_without_versions::RULE,
    &init_request_before_response::RULE,
    &init_server_request_early::RULE,
    &init_version_downgraded::RULE,
    &initialized_missing::RULE,
    &input_loop::RULE,
    &input_never_retried::RULE,
    &input_request_invalid::RULE,
    &input_request_undeclared::RULE,
    &input_required_empty::RULE,
    &input_required_unsupported_method::RULE,
    &input_response_shape::RULE,
    &input_retry_missing_responses::RULE,
    &input_retry_params_changed::RULE,
    &input_retry_same_id::RULE,
    &input_retry_state::RULE,
    &log_below_level::RULE,
    &log_without_level::RULE,
    &message_after_cancel::RULE,
    &meta_key_invalid::RULE,
    &meta_key_reserved::RULE,
    &meta_missing::RULE,
    &meta_missing_accepted::RULE,
    &meta_missing_client_capabilities::RULE,
    &meta_missing_client_info::RULE,
    &meta_missing_protocol_version::RULE,
    &meta_missing_server_info::RULE,
    &meta_refusal_code::RULE,
    &meta_wrong_type::RULE,
    &method_not_in_revision::RULE,
    &method_unknown::RULE,
    &method_wrong_direction::RULE,
    &pagination_incomplete::RULE,
    &params_invalid::RULE,
    &progress_after_response::RULE,
    &progress_not_increasing::RULE,
    &progress_token_invalid::RULE,
    &progress_unknown_token::RULE,
    &prompt_call_invalid::RULE,
    &resource_empty_contents::RULE,
    &resource_not_found_code::RULE,
    &resource_updated_not_subscribed::RULE,
    &result_invalid::RULE,
    &result_type_missing::RULE,
    &result_type_unknown::RULE,
    &root_uri_not_file::RULE,
    &sampling_tools_unbalanced::RULE,
    &server_request_in_modern::RULE,
    &subscription_ack_narrowed::RULE,
    &subscription_before_ack::RULE,
    &subscription_id_missing::RULE,
    &subscription_id_unknown::RULE,
    &subscription_not_acknowledged::RULE,
    &subscription_type_not_requested::RULE,
    &trace_context_invalid::RULE,
    &ui_resource_uri::RULE,
    &version_error_data::RULE,
    &version_not_supported::RULE,
    &version_refusal_code::RULE,
    &version_unknown::RULE,
    &version_wrong_era::RULE,
];
