// A client made with @modelcontextprotocol/client 2.x that gets itself a token: cli_oauth.mjs URL ISSUER
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, expectedIssuer] = process.argv.slice(2);
const authProvider = new ClientCredentialsProvider({ clientId: 'c', clientSecret: 's', expectedIssuer });
const client = new Client({ name: 'oauth-peer', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
console.log(JSON.stringify(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })));
await client.close();
