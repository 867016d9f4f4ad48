import { json, lab } from '../lab.js';
import { code, offers } from '../observers.js';
import { rowsOver } from '../row.js';
import type { Row } from '../row.js';
import type { Subject } from '../subject.js';

const key = 'sources.*.(mcp)';
/** A remote server that answers each call with the headers it came with. */
const serve = (path: string, tool: string): void =>
  lab.serve(path, ({ method, body, headers }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    const { id, method: asked, params } = JSON.parse(body);
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'far', version: '1' },
      },
      'tools/list': { tools: [{ name: tool, description: tool, inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: JSON.stringify(headers) }] },
    };
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[asked];
    return json(response, {
      jsonrpc: '2.0',
      id,
      ...(result ? { result } : { error: { code: -32601, message: 'unknown' } }),
    });
  });
serve('/mcp', 'headers');
serve('/other-mcp', 'others');
const remote = (entry: object = {}) =>
  rowsOver({
    rate_limit: { requests: 0 },
    sources: {
      far: {
        kind: 'mcp',
        url: `${lab.url}/mcp`,
        era: 'legacy',
        admission: 'open',
        network_policy: 'loopback',
        ...entry,
      },
    },
  });
const header = (name: string) => async (subject: Subject) => {
  const { answer } = await subject.call('far__headers');
  return JSON.parse(answer.json.content[0].text)[name];
};

const description = async (subject: Subject) => (await subject.send('/sources/far')).json.description;

export const remoteMcpRows: readonly Row[] = [
  remote()(`${key}.description`, ['One', 'Two'], description, ['One', 'Two']),
  remote()(`${key}.admission`, ['open', 'strict'], offers('far__headers'), [true, false]),
  remote()(`${key}.url`, [`${lab.url}/mcp`, `${lab.url}/other-mcp`], offers('far__others'), [false, true]),
  remote()(`${key}.headers`, [{ 'x-far': 'one' }, { 'x-far': 'two' }], header('x-far'), ['one', 'two']),
  remote()(`${key}.network_policy`, ['loopback', 'rfc1918'], code('far__headers'), ['ok', 'not_found']),
  remote()(`${key}.era`, ['legacy', 'modern'], code('far__headers'), ['ok', 'not_found']),
  remote()(`${key}.transport`, ['streamable_http', 'sse'], code('far__headers'), ['ok', 'not_found']),
];
