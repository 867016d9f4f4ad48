import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint.js';

/** A caller's text decides which host the server talks to. */
export const taintUrl = taintRule(
  'url',
  {
    id: 'TG-TAINT-SSRF',
    title: 'A parameter decides where a request goes',
    severity: 'medium',
    cwe: [918],
    owasp: ['MCP05:2025 Command Injection and Execution', 'MCP02:2025 Privilege Escalation via Scope Creep'],
    safeMcp: ['SAFE-T1104'],
    why: 'The server stands inside a network: a request to 169.254.169.254 or localhost answers with what nobody outside may see.',
    mend: 'Accept only hosts from a list, or resolve the name, refuse private addresses and connect to the address that was checked.',
    cases: [
      pythonCase(
        'import httpx\nfrom urllib.parse import urlparse',
        `@mcp.tool()
async def status(server: str) -> str:
    """Asks a service how it is."""
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"http://{server}/health")
        return answer.text`,
        `HOSTS = {"a.example.com", "b.example.com"}

@mcp.tool()
async def status(server: str) -> str:
    """Asks a service how it is."""
    if server not in HOSTS:
        raise ValueError("unknown service")
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"http://{server}/health")
        return answer.text`,
      ),
      scriptCase(
        '',
        `server.registerTool('status', { inputSchema: { target: z.string() } }, async ({ target }) => {
  const answer = await fetch(target);
  return { content: [{ type: 'text', text: await answer.text() }] };
});`,
        `const hosts = new Set(['a.example.com']);
server.registerTool('status', { inputSchema: { target: z.string() } }, async ({ target }) => {
  const url = new URL(target);
  if (!hosts.has(url.hostname)) throw new Error('unknown service');
  const answer = await fetch(url);
  return { content: [{ type: 'text', text: await answer.text() }] };
});`,
      ),
    ],
  },
  'Addresses inside the network can be reached.',
);
