// A client made with @modelcontextprotocol/sdk 1.x: cli_ts1.mjs COMMAND [ARG...], or a URL in its place (HTTP+SSE if it
// ends with /sse). With the word `everything` behind it, it calls what server-everything has.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'ts1-peer', version: '1.0.0' });
const transport = () => {
  if (!command.startsWith('http')) return new StdioClientTransport({ command, args });
  const url = new URL(command);
  return command.endsWith('/sse') ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
};
await client.connect(transport());
console.log('tools:', (await client.listTools()).tools.length);
const tool = args[0] === 'everything' ? 'get-sum' : 'add';
console.log(JSON.stringify(await client.callTool({ name: tool, arguments: { a: 2, b: 3 } })));
await client.close();
