import { expect, test } from 'vitest';
import { watchedUris } from './watched-uris.js';

test('a URI is subscribed with its first listener and unsubscribed with its last', () => {
  const watched = watchedUris();
  const seen: string[] = [];
  const first = (): void => void seen.push('first');
  const second = (): void => void seen.push('second');
  expect([watched.add('a', first), watched.add('a', second)]).toEqual([true, false]);
  watched.notify('a');
  watched.notify('b');
  expect(seen).toEqual(['first', 'second']);
  expect([watched.remove('a', first), watched.remove('a', first), watched.isEmpty()]).toEqual([false, false, false]);
  expect([watched.remove('a', second), watched.isEmpty(), watched.uris()]).toEqual([true, true, []]);
});
