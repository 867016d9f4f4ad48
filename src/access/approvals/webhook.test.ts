import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { egress } from '../../net/egress/egress.js';
import { namedPolicies } from '../../net/egress/named-policies.js';
import { approvalWebhook, signWebhook } from './webhook.js';

const secret = 'a secret of the receiver';

/** A receiver that answers with these statuses in turn, then with 204; and a webhook to it. */
async function aReceiver(statuses: readonly number[], attempts = 5, networks: 'loopback' | 'public' = 'loopback') {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const outcomes: string[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      const status = statuses[received.length] ?? 204;
      received.push({ headers: req.headers, body });
      res.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const policy = namedPolicies({ network_policies: {}, default_policy: 'public' })[networks];
  if (policy === undefined) throw new Error('a built-in policy');
  const webhook = approvalWebhook({
    // `address()` of a server that listens on a TCP port is an AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret,
    attempts,
    egress: egress({ networks: policy, hosts: ['127.0.0.1'], ports: 'any', schemes: ['http'] }),
    firstDelayMs: 1,
    onDelivered: (event, ticket) => outcomes.push(`${event} ${ticket}`),
    onUndelivered: (event, ticket, problem) => outcomes.push(`${event} ${ticket}: ${problem}`),
  });
  onTestFinished(async () => {
    await webhook.close();
    server.close();
  });
  return { received, outcomes, webhook };
}

test('a request and its decision arrive in order, signed over id, time and body', async () => {
  const { received, outcomes, webhook } = await aReceiver([]);
  webhook.send('approval.requested', { id: 'tk_1', status: 'pending' });
  webhook.send('approval.decided', { id: 'tk_1', status: 'approved' });
  await expect.poll(() => outcomes).toEqual(['approval.requested tk_1', 'approval.decided tk_1']);
  for (const { headers, body } of received) {
    const [id, time] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
    const expected = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(60);
  }
  expect(received.map(({ body }) => JSON.parse(body).data.status)).toEqual(['pending', 'approved']);
  expect(signWebhook(secret, 'a', 1, 'b')).not.toBe(signWebhook(secret, 'a', 2, 'b'));
  // Base64 secrets of the standard sign with their bytes.
  expect(signWebhook(`whsec_${Buffer.from('key').toString('base64')}`, 'a', 1, 'b')).toBe(
    signWebhook('key', 'a', 1, 'b'),
  );
});

test.each([
  [[500, 503, 429], 4, 'approval.requested tk_1'],
  [[500, 500], 2, 'approval.requested tk_1: HTTP status 500'],
  [[400], 1, 'approval.requested tk_1: HTTP status 400'],
  [[302], 1, 'approval.requested tk_1: HTTP status 302'],
])('answers %j lead to %i attempts with one id: %s', async (statuses, attempts, outcome) => {
  const { received, outcomes, webhook } = await aReceiver(statuses, Math.max(2, attempts));
  webhook.send('approval.requested', { id: 'tk_1' });
  await expect.poll(() => outcomes).toEqual([outcome]);
  expect(received).toHaveLength(attempts);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('an address that the network policy forbids gets nothing (SSRF)', async () => {
  const { received, outcomes, webhook } = await aReceiver([], 5, 'public');
  webhook.send('approval.requested', { id: 'tk_1' });
  await expect.poll(() => outcomes).toEqual([expect.stringMatching(/^approval\.requested tk_1: /)]);
  expect(received).toEqual([]);
});
