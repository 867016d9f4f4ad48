import { afterAll, describe, expect, test } from 'vitest';
import { reloadOf } from '../../src/config/keys.js';
import { placeOf, withValue } from './row.js';
import type { Row } from './row.js';
import { aSubject } from './subject.js';
import type { Subject } from './subject.js';

/** Tests of rows; those that leave nothing behind share one gateway. */
export async function prove(rows: readonly Row[]): Promise<void> {
  const shared = await aSubject({});
  afterAll(() => shared.close());

  /** The gateway of a row, with the first value active. */
  async function subjectFor(row: Row, config: object): Promise<Subject> {
    if (row.alone || reloadOf(row.key.split('.')) === 'restart') return aSubject(config);
    await shared.reload(config);
    return shared;
  }

  /** Whether a reported key is the one of the row: lists are reported as a whole, records by their entries. */
  const reports = (reported: readonly string[], place: readonly string[]): boolean =>
    reported.some((key) => `${place.join('.')}.`.startsWith(`${key}.`) || `${key}.`.startsWith(`${place.join('.')}.`));

  describe.each(rows)('$key', (row) => {
    const takes = reloadOf(row.key.split('.'));
    test(
      takes === 'live' ? 'takes effect with a reload' : 'is reported to need a restart, and takes effect with it',
      async () => {
        const place = placeOf(row.key, row.base);
        const [before, after] = [row.from, row.to].map((value) => withValue(row.base, place, value) as object); // a configuration
        if (before === undefined || after === undefined) throw new Error('two configurations were made');
        const subject = await subjectFor(row, before);
        try {
          expect(await row.observe(subject)).toEqual(row.sees[0]);
          const { applied, needs_restart: waiting } = await subject.reload(after);
          expect({ applied, waiting, place }).toSatisfy(() => reports(takes === 'live' ? applied : waiting, place));
          if (takes === 'restart') {
            expect(await row.observe(subject)).toEqual(row.sees[0]);
            await subject.restart(after);
          }
          expect(await row.observe(subject)).toEqual(row.sees[1]);
        } finally {
          if (subject !== shared) await subject.close();
        }
      },
    );
  });
}
