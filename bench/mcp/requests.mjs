const version = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
export const token = 'bench-token-0123456789abcdef0123456789';
const auth = `authorization: Bearer ${token}\r\n`;
const call = (number) => ({ name: 'echo', arguments: { text: `said ${number}.` } });

/** A modern call with its own argument. */
export const modern = (number) => ({
  headers: `${auth}mcp-protocol-version: ${version}\r\nmcp-method: tools/call\r\nmcp-name: echo\r\n`,
  body: JSON.stringify({ jsonrpc: '2.0', id: number, method: 'tools/call', params: { ...call(number), _meta: meta } }),
});

/** The same for a legacy session; `session` is what `open` returned. */
export const legacy = (number, session) => ({
  headers: `${auth}mcp-protocol-version: 2025-06-18\r\nmcp-session-id: ${session}\r\n`,
  body: JSON.stringify({ jsonrpc: '2.0', id: number, method: 'tools/call', params: call(number) }),
});

/** Opens a legacy session on a connection. */
export async function open(connection) {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const { headers } = await connection.send(
    auth,
    JSON.stringify({ jsonrpc: '2.0', id: 'open', method: 'initialize', params }),
  );
  const session = /mcp-session-id: (\S+)/i.exec(headers)?.[1];
  await connection.send(
    `${auth}mcp-session-id: ${session}\r\nmcp-protocol-version: 2025-06-18\r\n`,
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  );
  return session;
}
