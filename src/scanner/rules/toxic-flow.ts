import { capabilitiesOf } from '../capabilities.js';
import type { Capability } from '../report.js';
import { locationOf } from '../ir/positions.js';
import { pythonCase } from './cases.js';
import type { Finding, Rule } from './rule.js';

/** Tools that are harmless alone and dangerous together. */
export const toxicFlow: Rule = {
  id: 'TG-TOXIC-FLOW',
  title: "Together, tools can carry private data away at a stranger's word",
  severity: 'low',
  cwe: [200],
  owasp: ['MCP10:2025 Context Injection and Over-Sharing', 'MCP06:2025 Intent Flow Subversion'],
  safeMcp: ['SAFE-T1703', 'SAFE-T1914'],
  why: 'One tool reads what is private, one brings in text of strangers, one sends something out: whoever writes that text can ask for the rest.',
  mend: 'Do not let one conversation use all three; the gateway can refuse the third after the first two.',
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
  find: (scanned) => {
    const labelled = capabilitiesOf(scanned.entries);
    const first = (capability: Capability) => labelled.find((each) => each.capabilities.includes(capability))?.tool;
    const [reads, hears, sends] = [first('private-read'), first('untrusted-input'), first('external-send')];
    if (reads === undefined || hears === undefined || sends === undefined) return [];
    const place = scanned.entries.find(({ entry }) => entry.name === sends)?.entry.handler;
    if (!place) return [];
    const finding: Finding = {
      rule: toxicFlow.id,
      kind: 'bug',
      severity: 'low',
      tool: sends,
      location: locationOf(place.module, { start: place.fn.start, end: place.fn.start }),
      message: `${reads} reads private data, ${hears} brings in text of strangers, and ${sends} sends to the outside`,
    };
    return [finding];
  },
};
