import { expect, test } from 'vitest';
import { aSubject, env } from './subject.js';

test('the log hides a secret that came with a reload', async () => {
  const subject = await aSubject({});
  try {
    await subject.reload({ auth: { tokens: [{ name: 'bob', token: '${LAB_A}' }] } });
    subject.embedded.gate.log.event('server.problem', { message: `a server printed ${env.LAB_A}` });
    expect(subject.log()).toContain('a server printed');
    expect(subject.log()).not.toContain(env.LAB_A);
  } finally {
    await subject.close();
  }
});
