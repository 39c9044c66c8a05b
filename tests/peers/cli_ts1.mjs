// A client made with @modelcontextprotocol/sdk 1.x: cli_ts1.mjs COMMAND [ARG...]
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'ts1-peer', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args }));
console.log('tools:', (await client.listTools()).tools.length);
console.log(JSON.stringify(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })));
await client.close();
