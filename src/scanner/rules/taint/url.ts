import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input that selects the host of a request (SSRF). */
export const taintUrl = taintRule(
  'url',
  {
    id: 'TG-TAINT-SSRF',
    title: 'A parameter selects the target of a request',
    severity: 'medium',
    cwe: [918],
    owasp: ['MCP05:2025 Command Injection and Execution', 'MCP02:2025 Privilege Escalation via Scope Creep'],
    safeMcp: ['SAFE-T1104'],
    why: 'The server is inside a network: requests to 169.254.169.254 or localhost return data that is not accessible from outside (SSRF).',
    fix: 'Accept only hosts from an allow-list; or resolve the name, reject private addresses and connect to the checked address (DNS rebinding).',
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
  'Internal addresses can be reached.',
);
