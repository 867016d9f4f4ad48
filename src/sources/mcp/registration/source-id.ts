const maxId = 64;

/** The id of a source with this display name: `GitHub MCP` becomes `GitHub-MCP`; empty if nothing of it can be used. */
export const sourceIdFrom = (name: string, maxLength = maxId): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, maxLength)
    .replaceAll(/^-+|-+$/g, '');
