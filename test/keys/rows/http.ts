import { later } from '../clock.js';
import { lab } from '../lab.js';
import { code, definition, offers, says } from '../observers.js';
import { alone, rowsOver } from '../row.js';
import type { Row } from '../row.js';
import type { Subject } from '../subject.js';

const tool = { path: '/echo', description: 'Echoes', parameters: [{ name: 'city' }] };
const source = (over: object = {}, entry: object = {}) =>
  rowsOver({
    rate_limit: { requests: 0 },
    sources: { atlas: { kind: 'http', base_url: lab.url, tools: { city: { ...tool, ...over } }, ...entry } },
  });
const fn = (over: object = {}) =>
  rowsOver({
    rate_limit: { requests: 0 },
    mcp_tools: { city: { url: `${lab.url}/fn`, parameters: [{ name: 'city' }], ...over } },
  });

/** What the lab got from the last call of a tool. */
const sent =
  (name: string, args: object, part: (seen: (typeof lab.requests)[number]) => unknown) =>
  async (subject: Subject): Promise<unknown> => {
    lab.requests.length = 0;
    await subject.call(name, args);
    const last = lab.requests.at(-1);
    return last === undefined ? 'nothing' : part(last);
  };
/** Attempts of a call that fails twice. */
const attempts = (name: string) => async (subject: Subject) => {
  lab.failNext('/flaky', 1);
  return (await subject.call(name)).code === 'ok';
};
const failsFast = (name: string) => async (subject: Subject) => {
  const began = performance.now();
  await subject.call(name);
  return performance.now() - began < 700;
};
const annotation = (name: string, hint: string) => definition(name, ({ annotations }) => annotations?.[hint]);
const wireBody = ({ body }: { body: string }): unknown => JSON.parse(body);
/** Whether the address of a tool is given up after two failures. */
const opens = (name: string) => async (subject: Subject) => {
  await subject.call(name);
  return (await subject.call(name)).answer.text.includes('circuit') || (await code(name)(subject)) === 'circuit_open';
};
/** Whether an address that was given up is tried again after a minute. */
const triedAgain = (name: string) => async (subject: Subject) => {
  await subject.call(name);
  lab.requests.length = 0;
  await later(100, () => subject.call(name));
  const tried = lab.requests.length > 0;
  await later(1000, () => subject.call(name));
  return tried;
};
const get = { idempotent: true };

/** Keys that tools of a source and functions share, by the place of the tool. */
const sharedKeys = (
  key: string,
  make: (over?: object) => ReturnType<typeof rowsOver>,
  name: string,
  at: (path: string) => object,
): readonly Row[] => [
  make()(`${key}.read_only`, [true, false], annotation(name, 'readOnlyHint'), [true, false]),
  make({ read_only: false })(`${key}.destructive`, [true, false], annotation(name, 'destructiveHint'), [true, false]),
  make({ read_only: false })(`${key}.idempotent`, [true, false], annotation(name, 'idempotentHint'), [true, false]),
  make()(
    `${key}.idempotency_key`,
    [false, true],
    sent(name, {}, ({ headers }) => headers['idempotency-key'] !== undefined),
    [false, true],
  ),
  make()(`${key}.labels`, [[], ['reads:private']], code(name), ['ok', 'not_found'], {
    policy: {
      rules: [
        { id: 'a', action: 'deny', labels: ['reads:*'] },
        { id: 'b', action: 'allow' },
      ],
    },
  }),
  make({ ...at('/hang'), ...get, retries: 1 })(`${key}.timeout`, [0.2, 1.2], failsFast(name), [true, false]),
  make({ ...at('/flaky'), ...get })(`${key}.retries`, [1, 3], attempts(name), [false, true]),
  make(at('/big'))(`${key}.max_response_bytes`, [1024, 100_000], code(name), ['output_limit', 'ok']),
  alone(
    make({ ...at('/fail'), ...get, retries: 1, circuit_breaker: {} })(
      `${key}.circuit_breaker.failure_threshold`,
      [50, 2],
      opens(name),
      [false, true],
    ),
  ),
  alone(
    make({ ...at('/fail'), ...get, retries: 1, circuit_breaker: { failure_threshold: 1 } })(
      `${key}.circuit_breaker.recovery_timeout`,
      [600, 10],
      triedAgain(name),
      [false, true],
    ),
  ),
];
const parameterKeys = (
  key: string,
  make: (over?: object) => ReturnType<typeof rowsOver>,
  name: string,
  value: (seen: { path: string; body: string }) => unknown,
): readonly Row[] => {
  const property = (field: string, fallback = 'city') =>
    definition(name, ({ inputSchema }) => inputSchema.properties[fallback]?.[field]);
  return [
    make()(
      `${key}.name`,
      ['city', 'town'],
      definition(name, ({ inputSchema }) => Object.keys(inputSchema.properties)),
      [['city'], ['town']],
    ),
    make()(`${key}.type`, ['string', 'integer'], property('type'), ['string', 'integer']),
    make()(`${key}.required`, [false, true], code(name), ['ok', 'invalid_arguments']),
    make()(`${key}.description`, ['one', 'two'], property('description'), ['one', 'two']),
    make()(`${key}.enum`, [['a'], ['b']], code(name, { city: 'a' }), ['ok', 'invalid_arguments']),
    make()(`${key}.default`, ['rome', 'oslo'], sent(name, {}, value), ['rome', 'oslo']),
  ];
};
const inQuery = ({ path }: { path: string }): unknown => new URL(path, lab.url).searchParams.get('city');
const entryKey = 'sources.*.(http)';
const toolKey = `${entryKey}.tools.*`;
const echo = 'atlas__city';

const templates = async (subject: Subject): Promise<boolean> =>
  (await subject.mcp('resources/templates/list')).resourceTemplates.some(({ uriTemplate }: { uriTemplate: string }) =>
    uriTemplate.startsWith('toolgate://atlas'),
  );
lab.serve(
  '/discover',
  (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ functions: [{ name: 'found', description: 'Found', parameters: [] }] })),
);

export const httpRows: readonly Row[] = [
  source()(
    `${entryKey}.base_url`,
    [lab.url, `${lab.url}/v2`],
    sent(echo, {}, ({ path }) => path),
    ['/echo', '/v2/echo'],
  ),
  source()(`${entryKey}.prefix`, ['source', 'none'], offers('city'), [false, true]),
  source()(
    `${entryKey}.headers`,
    [{ 'x-a': 'one' }, { 'x-a': 'two' }],
    sent(echo, {}, ({ headers }) => headers['x-a']),
    ['one', 'two'],
  ),
  source()(
    `${toolKey}.method`,
    ['GET', 'DELETE'],
    sent(echo, {}, ({ method }) => method),
    ['GET', 'DELETE'],
  ),
  source()(
    `${toolKey}.path`,
    ['/echo', '/other'],
    sent(echo, {}, ({ path }) => path),
    ['/echo', '/other'],
  ),
  source()(
    `${toolKey}.title`,
    ['One', 'Two'],
    definition(echo, ({ title, annotations }) => title ?? annotations.title),
    ['One', 'Two'],
  ),
  source()(
    `${toolKey}.description`,
    ['One', 'Two'],
    definition(echo, ({ description }) => description),
    ['One', 'Two'],
  ),
  ...parameterKeys(`${toolKey}.parameters.[]`, source, echo, inQuery),
  source()(
    `${toolKey}.parameters.[].in`,
    ['query', 'header'],
    sent(echo, { city: 'rome' }, ({ headers }) => headers['city']),
    [undefined, 'rome'],
  ),
  source()(
    `${toolKey}.parameters.[].as`,
    ['town', 'place'],
    sent(echo, { city: 'rome' }, ({ path }) => path),
    ['/echo?town=rome', '/echo?place=rome'],
  ),
  source()(
    `${toolKey}.query`,
    [{ v: '1' }, { v: '2' }],
    sent(echo, {}, ({ path }) => path),
    ['/echo?v=1', '/echo?v=2'],
  ),
  source()(
    `${toolKey}.headers`,
    [{ 'x-b': 'one' }, { 'x-b': 'two' }],
    sent(echo, {}, ({ headers }) => headers['x-b']),
    ['one', 'two'],
  ),
  source({ method: 'POST', parameters: [] })(`${toolKey}.body`, [{ a: 1 }, { a: 2 }], sent(echo, {}, wireBody), [
    { a: 1 },
    { a: 2 },
  ]),
  source({ method: 'POST', parameters: [], body: { a: 1 } })(
    `${toolKey}.body_type`,
    ['json', 'form'],
    sent(echo, {}, ({ body }) => body),
    ['{"a":1}', 'a=1'],
  ),
  source({ path: '/nested' })(`${toolKey}.select`, [undefined, '/data/items'], says(echo, 'outer'), [true, false]),
  source()(`${toolKey}.resource`, [false, true], templates, [false, true]),
  ...sharedKeys(toolKey, source, echo, (path) => ({ path })),
  ...sharedKeys(
    entryKey,
    (over = {}) => source({}, over),
    echo,
    (path) => ({ tools: { city: { ...tool, path } } }),
  ),
  fn()(
    'mcp_tools.*.url',
    [`${lab.url}/fn`, `${lab.url}/other`],
    sent('city', {}, ({ path }) => path),
    ['/fn', '/other'],
  ),
  fn()(
    'mcp_tools.*.func_name',
    ['one', 'two'],
    sent('city', {}, ({ body }) => JSON.parse(body).function),
    ['one', 'two'],
  ),
  fn()(
    'mcp_tools.*.title',
    ['One', 'Two'],
    definition('city', ({ title, annotations }) => title ?? annotations.title),
    ['One', 'Two'],
  ),
  fn()(
    'mcp_tools.*.description',
    ['One', 'Two'],
    definition('city', ({ description }) => description),
    ['One', 'Two'],
  ),
  fn()(
    'mcp_tools.*.category',
    ['one', 'two'],
    async (subject) => (await subject.send('/tools/city')).text.includes('"two"'),
    [false, true],
  ),
  fn()(
    'mcp_tools.*.headers',
    [{ 'x-b': 'one' }, { 'x-b': 'two' }],
    sent('city', {}, ({ headers }) => headers['x-b']),
    ['one', 'two'],
  ),
  ...parameterKeys('mcp_tools.*.parameters.[]', fn, 'city', ({ body }) => JSON.parse(body).args?.city),
  ...sharedKeys('mcp_tools.*', fn, 'city', (path) => ({ url: `${lab.url}${path}` })),
  fn({ url: `${lab.url}/big` })('outbound.max_response_bytes', [1024, 100_000], code('city'), ['output_limit', 'ok']),
  fn({ url: `${lab.url}/flaky`, ...get })('outbound.retries', [1, 3], attempts('city'), [false, true]),
  fn({ url: `${lab.url}/hang`, retries: 1 })(
    'outbound.timeout',
    [1, 10],
    async (subject) => {
      const cut = new AbortController();
      const timer = setTimeout(() => cut.abort(), 1_600);
      const seen = await Promise.race([
        code('city')(subject),
        new Promise<string>((resolve) => cut.signal.addEventListener('abort', () => resolve('runs'))),
      ]);
      clearTimeout(timer);
      return seen;
    },
    ['timeout', 'runs'],
  ),
  alone(
    fn({ url: `${lab.url}/fail`, ...get, retries: 1 })(
      'outbound.circuit_breaker.failure_threshold',
      [50, 2],
      opens('city'),
      [false, true],
    ),
  ),
  alone(
    fn({ url: `${lab.url}/fail`, ...get, retries: 1 })(
      'outbound.circuit_breaker.recovery_timeout',
      [600, 10],
      triedAgain('city'),
      [false, true],
      { outbound: { circuit_breaker: { failure_threshold: 1 } } },
    ),
  ),
  source({}, { base_url: `${lab.url}/discover` })(
    `${entryKey}.discover`,
    ['list_functions', undefined],
    offers('atlas__found'),
    [true, false],
  ),
];
