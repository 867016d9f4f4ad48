import type { Requirement } from '../requirements.js';

/** What the chapter on tool servers demands of upstream MCP servers. */
export const s2Upstream: readonly Requirement[] = [
  {
    id: 'S2.23',
    says: 'Upstream servers are spoken to in full MCP: tools, resources, prompts, completion and subscriptions.',
  },
  { id: 'S2.24', says: 'The mcpServers files of clients are read and written.' },
  {
    id: 'S2.28',
    says: "Tools that imitate another source's are found by likeness of names and by their definitions, and a registry may be asked who a server is.",
  },
];
