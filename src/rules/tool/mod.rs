//! Rules of tools: names, schemas, arguments, results.

mod base64;
mod blocks;
mod calls;
mod content_base64_invalid;
mod content_block_invalid;
mod content_large_blob;
mod content_mime_mismatch;
mod definitions;
mod input_schema_root;
mod is_error_with_input_required;
pub mod nearest;
mod output_schema_no_structured;
mod output_schema_violation;
mod protocol_error_for_bad_arguments;
mod schema_dialect_unsupported;
mod schema_invalid;
mod schema_ref_external;
mod schema_too_complex;
mod structured_content_text_differs;
mod structured_content_without_text;
mod task_augment_not_allowed;
mod task_not_negotiated;
mod task_status_transition;
mod tool_arguments_accepted_invalid;
mod tool_arguments_not_object;
mod tool_arguments_schema;
mod tool_error_text;
mod tool_failure_as_protocol_error;
mod tool_is_error;
mod tool_name_duplicate;
mod tool_name_invalid;
mod tool_order_unstable;
mod tool_refused_although_valid;
mod tool_unknown;
mod tool_unknown_as_tool_error;
mod x_mcp_header_invalid;

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[
    &content_base64_invalid::RULE,
    &content_block_invalid::RULE,
    &content_large_blob::RULE,
    &content_mime_mismatch::RULE,
    &input_schema_root::RULE,
    &is_error_with_input_required::RULE,
    &output_schema_no_structured::RULE,
    &output_schema_violation::RULE,
    &protocol_error_for_bad_arguments::RULE,
    &schema_dialect_unsupported::RULE,
    &schema_invalid::RULE,
    &schema_ref_external::RULE,
    &schema_too_complex::RULE,
    &structured_content_text_differs::RULE,
    &structured_content_without_text::RULE,
    &task_augment_not_allowed::RULE,
    &task_not_negotiated::RULE,
    &task_status_transition::RULE,
    &tool_arguments_accepted_invalid::RULE,
    &tool_arguments_not_object::RULE,
    &tool_arguments_schema::RULE,
    &tool_error_text::RULE,
    &tool_failure_as_protocol_error::RULE,
    &tool_is_error::RULE,
    &tool_name_duplicate::RULE,
    &tool_name_invalid::RULE,
    &tool_order_unstable::RULE,
    &tool_refused_although_valid::RULE,
    &tool_unknown::RULE,
    &tool_unknown_as_tool_error::RULE,
    &x_mcp_header_invalid::RULE,
];
