import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Args } from '../../src/core/call.js';
import { builtins } from '../../src/sources/command/pack/index.js';
import { parseFlagWord } from '../../src/sources/command/input/flag-values.js';
import { commandBench, type Bench } from '../support/commands.js';
import { dangerousFlags, dangerousTargets, dangerousValues, injectionVectors } from './command-dangers.js';

let bench: Bench;
beforeAll(() => void (bench = commandBench()));
afterEach(() => expect(bench.started).toEqual([]));
afterAll(() => bench.close());

const tools = Object.keys(dangerousFlags);
const good = (tool: string): string => (tool === 'dig' || tool === 'whois' ? 'www.lab.internal' : '127.0.0.1');

/** What was let through of these arguments; each call that is refused must be so for its arguments. */
async function letThrough(tool: string, all: readonly Args[]): Promise<readonly Args[]> {
  const through: Args[] = [];
  for (const args of all) {
    const outcome = await bench.ask(tool, args);
    if (outcome.kind !== 'failed' || !['invalid_arguments', 'policy_denied'].includes(outcome.error.code))
      through.push(args);
  }
  return through;
}

test('the table holds at least 300 dangerous flags, values and targets', () => {
  const flags = Object.values(dangerousFlags).flat().length;
  const values = Object.values(dangerousValues).flat().length;
  expect(flags + values + dangerousTargets.length).toBeGreaterThanOrEqual(300);
});

test.each(tools)(
  'no dangerous flag of %s is let through, and nothing is started [S0.2] [S0.71] [S0.41] [CVE-2025-6514]',
  async (tool) => {
    expect(
      await letThrough(
        tool,
        (dangerousFlags[tool] ?? []).map((extra) => ({ target: good(tool), extra_args: extra })),
      ),
    ).toEqual([]);
  },
);

test.each(Object.keys(dangerousValues))(
  'no dangerous value of an argument of %s is let through, and nothing is started [S0.44]',
  async (tool) => {
    const all = (dangerousValues[tool] ?? []).map(([name, value]) => ({ target: good(tool), [name]: value }) as Args);
    expect(await letThrough(tool, all)).toEqual([]);
  },
);

test.each(['ping', 'traceroute', 'nmap', 'tls_inspect'])(
  'no dangerous target of %s is let through, and nothing is started [S0.34]',
  async (tool) => {
    expect(
      await letThrough(
        tool,
        dangerousTargets.map((target) => ({ target })),
      ),
    ).toEqual([]);
  },
);

test.each(['dig', 'whois'])('no dangerous name or address is let through to %s', async (tool) => {
  // These are names a resolver may be asked about: the policy for domains decides by the name alone.
  const names = new Set(['rebound.lab.internal', 'half.lab.internal', 'unknown.lab.internal']);
  expect(
    await letThrough(
      tool,
      dangerousTargets.filter((target) => !names.has(target)).map((target) => ({ target })),
    ),
  ).toEqual([]);
});

test.each(tools)('no injection is let through to %s, in whatever argument it stands [S0.46] [S0.125]', async (tool) => {
  const { properties } = (await bench.tool(tool)).input.schema as {
    readonly properties: Readonly<Record<string, unknown>>;
  };
  const all = Object.keys(properties).flatMap((name) =>
    injectionVectors.map((vector) => ({ target: good(tool), [name]: vector }) as Args),
  );
  expect(await letThrough(tool, all)).toEqual([]);
});

test('whatever extra_args contains, it is refused or every word is an allowed flag or a value that keeps its rule [S0.38] [S0.40]', async () => {
  for (const { name, manifest } of builtins(() => {}).filter((definition) => definition.manifest.extra_args)) {
    const spellings = Object.values(manifest.flags).flatMap(({ flag }) => flag);
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...spellings) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(' ', '=', '1', '4', '80', '22-80', '10.0.0.1', 'A', 'banner', '60s', ','),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom("'", '"', '\\', '--', '-', '/etc/passwd', '-oN', '@', '+trace', '10.0.0.2', '\t'),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (pieces) => {
        const outcome = await bench.ask(name, { target: good(name), extra_args: pieces.join(''), dry_run: true });
        if (outcome.kind !== 'done') return;
        const { argv } = (outcome.data as { readonly metadata: { readonly argv: readonly string[] } }).metadata;
        expect(strangers(argv.slice(1), manifest, good(name))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  }
});

/** The words that are neither fixed by the manifest, nor an allowed flag, nor a value of the flag before them. */
function strangers(
  words: readonly string[],
  { flags, always, before }: ReturnType<typeof builtins>[number]['manifest'],
  target: string,
): readonly string[] {
  const fixed = new Set([
    ...always,
    ...before,
    '--',
    '-q',
    target,
    ...Object.values(flags).flatMap(({ passes }) => passes ?? []),
  ]);
  const all = Object.values(flags);
  return words.filter((word, index) => {
    if (fixed.has(word) || all.some(({ flag }) => flag[0] === word)) return false;
    const isValueOf = (spelling: string | undefined, text: string): boolean =>
      all.some((rule) => rule.flag[0] === spelling && rule.type !== 'boolean' && parseFlagWord(rule, text).ok);
    if (isValueOf(words[index - 1], word)) return false;
    return !all.some(
      ({ flag: [spelling = ' '], form }) =>
        form !== 'separate' &&
        word.startsWith(spelling) &&
        isValueOf(spelling, word.slice(spelling.length + (form === 'equals' ? 1 : 0))),
    );
  });
}
