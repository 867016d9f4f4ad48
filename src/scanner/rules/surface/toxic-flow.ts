import { capabilitiesOf } from '../../capabilities.js';
import type { Capability } from '../../report.js';
import { locationOf } from '../../ir/positions.js';
import { pythonCase } from '../cases.js';
import type { Finding, Rule } from '../rule.js';

/** Finds combinations of tools that allow data exfiltration (lethal trifecta, confused deputy). */
export const toxicFlow: Rule = {
  id: 'TG-TOXIC-FLOW',
  title: 'Together, tools can exfiltrate private data through prompt injection',
  severity: 'low',
  cwe: [200],
  owasp: ['MCP10:2025 Context Injection and Over-Sharing', 'MCP06:2025 Intent Flow Subversion'],
  safeMcp: ['SAFE-T1703', 'SAFE-T1914'],
  why: 'One tool reads private data, one fetches untrusted text and one sends data out: injected instructions in that text can combine them.',
  fix: 'Do not allow all three in one conversation; the gateway can deny the third after the first two.',
  cases: [
    pythonCase(
      'import requests',
      `@mcp.tool()
def notes() -> str:
    """Reads the notes."""
    return open("/home/me/notes.txt").read()

@mcp.tool()
def page(number: int) -> str:
    """Reads a page of the wiki."""
    return requests.get(f"https://wiki.example.com/{number}").text

@mcp.tool()
def publish(number: int) -> str:
    """Publishes a note."""
    return requests.post("https://blog.example.com/new", json={"n": number}).text`,
      `@mcp.tool()
def page(number: int) -> str:
    """Reads a page of the wiki."""
    return requests.get(f"https://wiki.example.com/{number}").text`,
    ),
  ],
  find: (context) => {
    const capabilities = capabilitiesOf(context.entries);
    const firstToolWith = (capability: Capability) =>
      capabilities.find((each) => each.capabilities.includes(capability))?.tool;
    const [reads, fetches, sends] = [
      firstToolWith('private-read'),
      firstToolWith('untrusted-input'),
      firstToolWith('external-send'),
    ];
    if (reads === undefined || fetches === undefined || sends === undefined) return [];
    const place = context.entries.find(({ entry }) => entry.name === sends)?.entry.handler;
    if (!place) return [];
    const finding: Finding = {
      rule: toxicFlow.id,
      kind: 'bug',
      severity: 'low',
      tool: sends,
      location: locationOf(place.module, { start: place.fn.start, end: place.fn.start }),
      message: `${reads} reads private data, ${fetches} fetches untrusted text, and ${sends} sends data to the network`,
    };
    return [finding];
  },
};
