// The example server through the TypeScript SDK 2.x.
// usage: node client.mjs auto|legacy|modern (stdio COMMAND | http URL)
import assert from 'node:assert';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// Packages are looked for where the script was started, not where it stands.
const require = createRequire(process.cwd() + '/package.json');
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

const [mode, kind, where] = process.argv.slice(2);
const versionNegotiation = mode === 'modern' ? { mode: { pin: '2026-07-28' } } : { mode };
const client = new Client(
  { name: 'peer', version: '1' },
  { versionNegotiation, capabilities: { elicitation: {} } },
);
client.setRequestHandler('elicitation/create', async ({ params }) => {
  assert.match(params.message, /erase \(native\)/);
  return { action: 'accept', content: { decision: 'approve' } };
});
await client.connect(
  kind === 'stdio'
    ? new StdioClientTransport({ command: where })
    : new StreamableHTTPClientTransport(new URL(where)),
);
const expected = mode === 'legacy' ? '2025-11-25' : '2026-07-28';
assert.strictEqual(client.getNegotiatedProtocolVersion(), expected);
const names = (await client.listTools()).tools.map((tool) => tool.name);
assert.deepStrictEqual(names, ['echo', 'add', 'erase', 'count', 'picture']);
const call = (name, args) => client.callTool({ name, arguments: args });
assert.deepStrictEqual((await call('add', { a: 2, b: 3 })).structuredContent, { sum: 5 });
const bad = await call('echo', { text: 1 });
assert.ok(bad.isError && bad.content[0].text.includes('not valid'));
assert.strictEqual((await call('erase', { name: 'x' })).content[0].text, 'erased x');
await assert.rejects(call('nope', {}), /there is no tool/);
await client.close();
process.exit(0);
