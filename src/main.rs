//! The binary: hands the arguments to [`mcpscope::cli`] and turns the outcome into an exit status. Nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcpscope::cli::main()
}
