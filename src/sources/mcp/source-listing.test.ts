import { expect, test, vi } from 'vitest';
import { emptyListing } from './catalog/listing.js';
import type { Listing } from './catalog/listing.js';
import { sourceListing } from './source-listing.js';

const aListing = (what: string): Listing => ({ ...emptyListing, withheld: [{ what, why: 'test' }] });
const signal = new AbortController().signal;

function aSource(load: () => Promise<Listing>) {
  const onLate = vi.fn();
  return { onLate, source: sourceListing({ id: 'x', remote: false, load, startupMs: 50, onLate }) };
}

test('a failed load keeps the last good listing and gives the reason', async () => {
  let next: () => Promise<Listing> = () => Promise.resolve(aListing('first'));
  const { source } = aSource(() => next());
  await source.list(signal);
  next = () => Promise.reject(new Error('down'));
  await expect(source.list(signal)).rejects.toThrow('down');
  expect([source.good(), source.problem(), await source.latest()]).toEqual([
    aListing('first'),
    'down',
    aListing('first'),
  ]);
  next = () => Promise.resolve(aListing('second'));
  await source.list(signal);
  expect([source.problem(), source.good()]).toEqual([undefined, aListing('second')]);
});

test('concurrent lists share one load', async () => {
  let loads = 0;
  const { source } = aSource(() => Promise.resolve(aListing(String((loads += 1)))));
  expect(await Promise.all([source.list(signal), source.list(signal)])).toEqual([aListing('1'), aListing('1')]);
});

test('a late first listing is announced when it is there', async () => {
  let arrive: (listing: Listing) => void = () => {};
  const { source, onLate } = aSource(() => new Promise((resolve) => (arrive = resolve)));
  const first = await source.list(signal);
  expect(first.withheld[0]?.why).toContain('still starting');
  expect(onLate).not.toHaveBeenCalled();
  arrive(aListing('late'));
  await source.loading();
  await Promise.resolve();
  expect([onLate.mock.calls.length, source.good()]).toEqual([1, aListing('late')]);
});
