// A server made with @modelcontextprotocol/server 2.x: both eras on one pipe, or on one URL: srv_ts2.mjs [PORT]
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const make = () => {
  const server = new McpServer({ name: 'ts2-peer', version: '1.0.0' });
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  return server;
};

const port = process.argv[2];
if (port) {
  createServer(toNodeHandler(createMcpHandler(make))).listen(Number(port), '127.0.0.1');
} else {
  serveStdio(make);
}
