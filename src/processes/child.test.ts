import { afterAll, expect, test } from 'vitest';
import { aRun, aSpec, finished, oddSleep, processesNamed } from '../../test/support/processes.js';
import { processes } from './index.js';

const local = processes();
afterAll(() => local.close());

/** Ways to hide from whoever wants to end you; `S` stands for the sleep that gives you away. */
const escapes: readonly (readonly [string, string])[] = [
  ['plain', 'echo up; exec sleep S'],
  ['background', 'sleep S & sleep S & echo up; wait'],
  ['setsid', 'setsid sleep S & echo up; wait'],
  ['setsid twice', 'setsid setsid -f sleep S; echo up; sleep S'],
  ['double fork', '(setsid sh -c "sleep S & exit" &) ; echo up; sleep S'],
  ['cleared environment', 'env -i setsid -f /bin/sleep S; echo up; sleep S'],
  ['deaf to SIGTERM', 'trap "" TERM HUP INT; setsid -f sleep S; echo up; while :; do sleep S; done'],
  ['closed pipes', 'setsid -f sleep S </dev/null >/dev/null 2>&1; echo up; exec sleep S'],
  ['stopped', 'setsid -f sh -c "kill -STOP \\$\\$; sleep S"; echo up; sleep S'],
  ['parent gone', 'setsid -f sleep S; setsid -f sh -c "trap \\"\\" TERM; sleep S; sleep S"; echo up'],
];

const tiers = ['prlimit', 'bwrap'] as const;
const cases = tiers.flatMap((tier) => escapes.map(([name, script]) => [tier, name, script] as const));

test.each(cases)('%s: nothing survives a kill: %s', async (tier, _, script) => {
  const sleep = oddSleep();
  const hangUp = new AbortController();
  const options = aRun({ signal: hangUp.signal, graceMs: 50, onOutput: () => hangUp.abort() });
  finished(await local.run(aSpec(script.replaceAll('S', sleep).replaceAll(`${sleep}TOP`, 'STOP'), { tier }), options));
  // A program that ended by itself in the same moment is swept right after its result.
  await expect.poll(() => processesNamed(sleep), { timeout: 15_000 }).toEqual([]);
});

/** Forks and exits for ever, so that no process lives long enough to be found; bounded, should we fail. */
const chain = 'n=$1; [ $n -gt 0 ] && { sh -c "$2" chain $((n-1)) "$2" WORD & }; exit 0';

test.each(tiers)('%s: a chain of processes that fork and exit is caught where it can be', async (tier) => {
  const isCounted = (await local.tiers()).processLimit.available && process.getuid?.() === 0;
  const word = `chain-${oddSleep()}`;
  const script = chain.replaceAll('WORD', word);
  const args = ['-c', `sh -c '${script}' chain 3000 '${script}' ${word} & sleep 600`];
  const limits = isCounted ? { processes: 50 } : {};
  expect(
    finished(await local.run(aSpec('', { tier, args, limits }), aRun({ timeoutMs: 300, graceMs: 0 }))),
  ).toMatchObject({ timedOut: true });
  // With neither a cgroup nor a pid namespace such a chain can outrun the search; the guide says so.
  if (tier === 'bwrap' || isCounted) expect(processesNamed(word)).toEqual([]);
});

test('a hundred kills at random moments leave no survivor and no zombie', async () => {
  const sleep = oddSleep();
  const results = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const script = escapes[n % escapes.length]![1].replaceAll('S', sleep).replaceAll(`${sleep}TOP`, 'STOP');
      return local.run(
        aSpec(script, { tier: tiers[n % 2]! }),
        aRun({ timeoutMs: 1 + ((n * 37) % 400), graceMs: (n * 13) % 60 }),
      );
    }),
  );
  expect(results.every(({ kind }) => kind === 'finished')).toBe(true);
  await expect.poll(() => processesNamed(sleep), { timeout: 15_000 }).toEqual([]);
  expect(local.active()).toBe(0);
});
