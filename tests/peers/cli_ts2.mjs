// A client made with @modelcontextprotocol/client 2.x: cli_ts2.mjs auto|legacy COMMAND [ARG...], or URL in its place
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [mode, command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'ts2-peer', version: '1.0.0' }, { versionNegotiation: { mode } });
const http = command.startsWith('http');
await client.connect(http ? new StreamableHTTPClientTransport(new URL(command)) : new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
console.log('tools:', tools.length);
console.log(JSON.stringify(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })));
const has = (name) => tools.some((tool) => tool.name === name);
if (has('weather')) {
  // A structured result, which the client holds against outputSchema.
  console.log(JSON.stringify(await client.callTool({ name: 'weather', arguments: { city: 'Oslo', unit: 'celsius' } })));
  console.log('prompts:', (await client.listPrompts()).prompts.length);
  console.log('resources:', (await client.listResources()).resources.length);
  const read = await client.readResource({ uri: 'demo://docs/route.json' });
  console.log('read:', read.contents.length);
}
await client.close();
