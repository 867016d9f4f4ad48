import type { Requirement } from '../requirements.js';

/** Upstream MCP servers: plugins and remotes. */
export const s3: readonly Requirement[] = [
  { id: 'S3.1', says: 'A server may be a local process or a remote address.' },
  { id: 'S3.2', says: 'A registration names a source, its type mcp, and where it is.' },
  { id: 'S3.3', says: 'A plugin folder holds plugin.json or server.json; with neither, the error names both.' },
  {
    id: 'S3.4',
    says: 'A local server speaks over pipes and a remote one over Streamable HTTP; the older SSE is understood for remote ones only.',
  },
  { id: 'S3.5', says: 'The runtimes are uvx, npx, python, node and docker.' },
  {
    id: 'S3.6',
    says: 'A local server lives on between calls by default, with an idle time, an age, a number of calls and a connection for each caller; one per call on request.',
  },
  { id: 'S3.7', says: 'Variables of a registration refer to secrets and never hold them.' },
  { id: 'S3.8', says: 'A command of the registration replaces the one of the manifest.' },
  { id: 'S3.9', says: 'Arguments of the registration follow those of the manifest.' },
  { id: 'S3.10', says: 'A server started for one call is ended after it, whatever became of the call.' },
  { id: 'S3.11', says: 'A kept server is started at first use, reused, and ended with the gateway.' },
  { id: 'S3.12', says: 'Manifests are read in both shapes, and their schema is published.' },
  {
    id: 'S3.13',
    says: 'Variables are resolved when the server is started; all that are missing are named and nothing is started; secrets are masked.',
  },
  { id: 'S3.14', says: 'Only declared variables reach a local server.' },
  { id: 'S3.15', says: 'A remote server gets headers from secret references, or a token by OAuth 2.1.' },
  { id: 'S3.16', says: 'A server is greeted, listed and called in its own protocol.' },
  { id: 'S3.17', says: 'Connecting tells who the server is, and disconnecting twice is disconnecting once.' },
  { id: 'S3.18', says: 'Kept and remote connections come from a pool, the others are new.' },
  {
    id: 'S3.19',
    says: 'Over pipes answers are matched by id, any number at once; noise, notifications and stderr disturb nothing, and the whole tree is ended.',
  },
  {
    id: 'S3.20',
    says: 'Over HTTP the session and revision headers are sent, the session is kept, and a stream is read to its answer.',
  },
  { id: 'S3.21', says: 'A source is listed as soon as it is there, page by page within a budget, with whole schemas.' },
  {
    id: 'S3.22',
    says: 'What a server no longer offers goes, what it changed is noticed by its hash, and the whole inventory is recorded.',
  },
  {
    id: 'S3.23',
    says: 'A call resolves its variables, takes a connection, is made within its time, and ends with content, data and whether it failed.',
  },
  {
    id: 'S3.24',
    says: 'A lost connection, a broken protocol and a passed deadline are told apart, each with its code.',
  },
  {
    id: 'S3.25',
    says: 'A failure is retried with back-off and marks the source, a timeout cancels at the server, a crash restarts at the next call within a limit.',
  },
  {
    id: 'S3.26',
    says: 'A registration becomes one immutable entry of the configuration; whether it is remote follows from it.',
  },
  { id: 'S3.27', says: 'Transports and lives have exactly their names.' },
  {
    id: 'S3.28',
    says: 'A source is looked at before it is offered, its version and changes are recorded, starts and stops are logged, and remote ones need https.',
  },
  {
    id: 'S3.29',
    says: 'Packages are named with their version, recorded with their integrity, and not started when they differ.',
  },
];
