import { expect, test } from 'vitest';
import type { RpcReply } from '../../../wire/reply.js';
import { maxServerRequests, serverRequests } from './server-requests.js';

const aRequest = (id: number) => ({ kind: 'request' as const, id, method: 'roots/list', params: {} });

test.each([true, false])(
  'requests beyond the limit are answered with an error or dropped (%s)',
  async (rejectExcess) => {
    const sent: string[] = [];
    let answerAll = (): void => {};
    const gate = new Promise<void>((resolve) => (answerAll = resolve));
    const answer = serverRequests({
      request: async (): Promise<RpcReply> => {
        await gate;
        return { result: {} };
      },
      send: (text) => sent.push(text),
      rejectExcess,
    });
    const running = Array.from({ length: maxServerRequests }, (_, id) => answer(aRequest(id), undefined));
    await answer(aRequest(1_000), undefined);
    expect(sent.length).toBe(rejectExcess ? 1 : 0);
    answerAll();
    await Promise.all(running);
    await answer(aRequest(1_001), undefined);
    expect(sent.at(-1)).toContain('1001');
    expect(sent.length).toBe(maxServerRequests + (rejectExcess ? 2 : 1));
  },
);
