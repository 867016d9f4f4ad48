import { expect, test } from 'vitest';
import { schema } from '../../config/schema.js';

const problems = (raw: unknown): readonly string[] => {
  const parsed = schema.safeParse(raw);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
};
const fn = (over: object) => ({ mcp_tools: { f: { url: 'http://localhost:1/', ...over } } });
const api = (over: object) => ({
  sources: {
    s: { kind: 'http', base_url: 'http://localhost:1/', tools: { t: { path: '/x', description: 'does x', ...over } } },
  },
});

test('a function as the manual writes it is accepted, with what it leaves out filled in [S2.14] [S2.13]', () => {
  const written = {
    url: 'http://localhost:9000/',
    func_name: 'get_weather',
    description: 'Weather of a city',
    headers: { Authorization: 'Bearer ${T}' },
    parameters: [
      { name: 'city', type: 'string', required: true, description: 'Where' },
      { name: 'units', type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
    ],
  };
  expect(schema.parse({ mcp_tools: { weather: written } }).mcp_tools['weather']).toMatchObject({
    func_name: 'get_weather',
    category: 'mcp',
    parameters: [{ name: 'city' }, { name: 'units', required: false, enum: ['metric', 'imperial'], default: 'metric' }],
  });
  expect(schema.parse(fn({})).mcp_tools['f']).toMatchObject({
    description: 'MCP remote function',
    parameters: [],
    headers: {},
  });
});

test.each([
  ['an unknown type', fn({ parameters: [{ name: 'x', type: 'date' }] })],
  ['a default of another type', fn({ parameters: [{ name: 'x', type: 'integer', default: '3' }] })],
  ['a default outside the enum', fn({ parameters: [{ name: 'x', enum: ['a'], default: 'b' }] })],
  ['an enum of another type', fn({ parameters: [{ name: 'x', type: 'boolean', enum: ['true'] }] })],
  ['a name twice', fn({ parameters: [{ name: 'x' }, { name: 'x' }] })],
  ['a name that is a prototype', fn({ parameters: [{ name: '__proto__' }] })],
  ['a header that is the gate’s own', fn({ headers: { Host: 'evil' } })],
  ['a header name with a line break', fn({ headers: { 'a\nb': 'x' } })],
  ['no retries at all', fn({ retries: 0 })],
  ['an unknown key', fn({ methd: 'GET' })],
  ['a path with an unknown argument', api({ path: '/x/{id}' })],
  ['a path with a query', api({ path: '/x?y=1' })],
  ['a path that climbs', api({ path: '/x/../y' })],
  ['a path that climbs encoded', api({ path: '/x/%2e%2e/y' })],
  ['a path that is an address', api({ path: 'http://evil/' })],
  ['a resource that is no GET', api({ method: 'POST', resource: true })],
  ['a GET with a body', api({ body: {} })],
  ['a pointer that is none', api({ select: 'data.items' })],
])('%s is refused at load [S2.14]', (_, raw) => {
  expect(problems(raw)).toHaveLength(1);
});

test('environment names set the limits of all functions [S2.6] [S2.7] [S2.8]', () => {
  expect(schema.parse({}).outbound).toEqual({
    allowed_domains: ['localhost', '127.0.0.1'],
    metadata_addresses: [],
    max_response_bytes: 10_485_760,
    retries: 3,
    timeout: 10,
    circuit_breaker: { failure_threshold: 5, recovery_timeout: 60 },
  });
});
