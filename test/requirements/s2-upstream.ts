import type { Requirement } from '../requirements.js';

/** What the chapter on tool servers demands of upstream MCP servers. */
export const s2Upstream: readonly Requirement[] = [
  { id: 'S2.23', says: 'Upstream servers are spoken to in full MCP: tools, resources, prompts, completion and subscriptions.' },
];
