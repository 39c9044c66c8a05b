// An MCP server that wants a token, and the authorization server that gives one, on one port: srv_oauth.mjs PORT
// The token is given for whatever resource is asked for: that is what a tap with --rewrite-oauth needs.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod';

const port = Number(process.argv[2]);
const self = `http://127.0.0.1:${port}`;
const mcp = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'oauth-peer', version: '1.0.0' });
    server.registerTool(
      'add',
      { inputSchema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } },
      async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
    );
    return server;
  }),
);

createServer((request, response) => {
  const json = (status, body, headers = {}) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  const path = request.url.split('?')[0];
  if (path.startsWith('/.well-known/oauth-protected-resource')) {
    return json(200, { resource: `${self}/mcp`, authorization_servers: [self] });
  }
  if (path.startsWith('/.well-known/oauth-authorization-server')) {
    return json(200, {
      issuer: self,
      authorization_endpoint: `${self}/authorize`,
      token_endpoint: `${self}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
    });
  }
  if (path === '/token') {
    return json(200, { access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 });
  }
  if (path !== '/mcp') {
    return json(404, { error: 'not_found' });
  }
  if (request.headers.authorization !== 'Bearer token-1') {
    const metadata = `${self}/.well-known/oauth-protected-resource/mcp`;
    return json(401, { error: 'invalid_token' }, { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}"` });
  }
  mcp(request, response);
}).listen(port, '127.0.0.1');
