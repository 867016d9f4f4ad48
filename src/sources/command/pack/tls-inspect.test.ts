import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandBench, printed, type Bench } from '../../../../test/support/commands.js';
import { tlsOutput } from './tls-inspect.js';

let bench: Bench;
let server: Server;
let port = 0;
beforeAll(async () => {
  bench = commandBench();
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      '-subj',
      '/CN=here.lab.internal',
      '-addext',
      'subjectAltName=DNS:here.lab.internal',
    ],
    { stdio: 'ignore' },
  );
  server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert), ALPNProtocols: ['h2'] },
    (socket) => void socket.on('error', () => {}).end(),
  );
  rmSync(folder, { recursive: true });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  await bench.close();
});

test('protocol, cipher, verification and the decoded certificate come back as data', async () => {
  const output = printed(
    await bench.ask('tls_inspect', { target: 'here.lab.internal', port, alpn: ['h2'], tls1_3: true }),
  );
  expect(output.metadata['command']).toBe(
    `openssl s_client -alpn h2 -tls1_3 -showcerts -no_ign_eof -servername here.lab.internal -connect 127.0.0.1:${port}`,
  );
  expect(output.metadata['parsed']).toMatchObject({
    protocol: 'TLSv1.3',
    alpn: 'h2',
    verification: { ok: false, code: 18 },
    certificates: [
      {
        subject: 'CN=here.lab.internal',
        issuer: 'CN=here.lab.internal',
        names: ['DNS:here.lab.internal'],
        fingerprint256: expect.stringMatching(/^[0-9A-F:]{95}$/),
      },
    ],
  });
});

test('a name the caller gives is the one that is asked for', async () => {
  const output = printed(
    await bench.ask('tls_inspect', {
      target: 'here.lab.internal',
      port: 443,
      server_name: 'other.lab.internal',
      dry_run: true,
    }),
  );
  expect(output.metadata['command']).toBe(
    'openssl s_client -servername other.lab.internal -showcerts -no_ign_eof -connect 127.0.0.1:443',
  );
  const v6 = printed(await bench.ask('tls_inspect', { target: '::1', dry_run: true }));
  expect(v6.metadata['command']).toMatch(/ -connect \[::1\]:443$/);
});

test('a failed handshake and a forged certificate yield no certificate', () => {
  expect(tlsOutput.read({ stdout: 'New, (NONE), Cipher is (NONE)\n', stderr: '', returncode: 1, args: {} })).toEqual(
    {},
  );
  const forged = 'New, TLSv1.3, Cipher is X\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  expect(tlsOutput.read({ stdout: forged, stderr: '', returncode: 0, args: {} }).parsed).toMatchObject({
    certificates: [],
  });
});
