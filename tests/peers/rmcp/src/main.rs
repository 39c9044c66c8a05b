//! A peer made with rmcp. Without arguments a server with the tool `add`; with a command, a client that starts it, lists
//! its tools, calls `add` with 2 and 3, and prints `tools: N` and the result.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig};
use rmcp::transport::TokioChildProcess;
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ServerHandler, ServiceExt, tool, tool_handler, tool_router,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

#[derive(Clone)]
struct Server;

#[tool_router]
impl Server {
    /// Adds two numbers.
    #[tool]
    async fn add(&self, Parameters(pair): Parameters<Pair>) -> String {
        (pair.a + pair.b).to_string()
    }
}

#[tool_handler]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[derive(Clone, Default)]
struct Client;

impl ClientHandler for Client {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((program, rest)) = words.split_first() else {
        Server.serve(rmcp::transport::stdio()).await?.waiting().await?;
        return Ok(());
    };
    let mut command = tokio::process::Command::new(program);
    command.args(rest);
    let mode = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let client = Client.serve_with_lifecycle(TokioChildProcess::new(command)?, mode).await?;
    println!("tools: {}", client.list_tools(Default::default()).await?.tools.len());
    let arguments = serde_json::json!({ "a": 2, "b": 3 });
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let result = client.call_tool(CallToolRequestParams::new("add").with_arguments(arguments)).await?;
    println!("{}", serde_json::to_string(&result)?);
    client.cancel().await?;
    Ok(())
}
