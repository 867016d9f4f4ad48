import { X509Certificate } from 'node:crypto';
import type { JsonObject } from '../../../core/json.js';
import type { OutputParser } from '../definition.js';
import { builtinCommand } from './builtin-command.js';

/** PEM block with bounded content. */
const pemPattern = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,20000}-----END CERTIFICATE-----/g;
/** A chain rarely has more than four. */
const maxCertificates = 10;

/** Parses the output of openssl s_client; certificates are decoded from PEM instead of trusting the printed fields. */
export const tlsOutput: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      protocol: { type: 'string' },
      cipher: { type: 'string' },
      alpn: { type: 'string' },
      temp_key: { type: 'string' },
      verification: {
        type: 'object',
        properties: { ok: { type: 'boolean' }, code: { type: 'integer' }, reason: { type: 'string' } },
        required: ['ok', 'code', 'reason'],
      },
      certificates: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            subject: { type: 'string' },
            issuer: { type: 'string' },
            serial: { type: 'string' },
            valid_from: { type: 'string' },
            valid_to: { type: 'string' },
            names: { type: 'array', items: { type: 'string' } },
            fingerprint256: { type: 'string' },
          },
          required: ['subject', 'issuer', 'serial', 'valid_from', 'valid_to', 'names', 'fingerprint256'],
        },
      },
    },
    required: ['certificates'],
  },
  read({ stdout }) {
    const [, protocol, cipher] = /^(?:New|Reused), (\S+), Cipher is (\S+)$/m.exec(stdout) ?? [];
    // `(NONE)` means that the handshake failed.
    if (protocol === undefined || cipher === undefined || cipher === '(NONE)') return {};
    const [, code, reason] = /Verify return code: (\d+) \(([^)\n]{0,200})\)/.exec(stdout) ?? [];
    const alpn = /^ALPN protocol: (\S+)$/m.exec(stdout)?.[1];
    const key = /^Server Temp Key: (.{1,80})$/m.exec(stdout)?.[1];
    const certificates = [...stdout.matchAll(pemPattern)]
      .slice(0, maxCertificates)
      .flatMap(([text]) => parseCertificate(text));
    return {
      parsed: {
        protocol,
        cipher,
        ...(alpn !== undefined && { alpn }),
        ...(key !== undefined && { temp_key: key }),
        ...(code !== undefined && { verification: { ok: code === '0', code: Number(code), reason } }),
        certificates,
      },
      summary: `${protocol}, ${cipher}, ${certificates.length} certificates${reason === undefined ? '' : `, ${reason}`}`,
    };
  },
};

/** Fields of a certificate; none if it does not parse. */
function parseCertificate(text: string): readonly JsonObject[] {
  try {
    const found = new X509Certificate(text);
    return [
      {
        subject: found.subject.replaceAll('\n', ', '),
        issuer: found.issuer.replaceAll('\n', ', '),
        serial: found.serialNumber,
        valid_from: new Date(found.validFrom).toISOString(),
        valid_to: new Date(found.validTo).toISOString(),
        names: (found.subjectAltName ?? '')
          .split(', ')
          .filter((name) => name !== '')
          .slice(0, 100),
        fingerprint256: found.fingerprint256,
      },
    ];
  } catch {
    return []; // not a valid certificate
  }
}

/** `tls_inspect`: protocol, cipher and certificates of a TLS service. */
export const tlsInspect = builtinCommand(
  'tls_inspect',
  {
    command: 'openssl',
    before: ['s_client'],
    title: 'TLS inspection',
    description: 'Performs a TLS handshake and reports protocol, cipher, certificates and the verification result.',
    flags: {
      port: { type: 'integer', min: 1, max: 65_535, default: 443, description: 'Port of the service' },
      server_name: {
        flag: '-servername',
        type: 'string',
        pattern: '[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?',
        max_length: 253,
        example: 'www.lab.internal',
        description: 'Server name (SNI); by default the name of the target',
      },
      alpn: {
        flag: '-alpn',
        type: 'list',
        pattern: '[a-z0-9][a-z0-9./-]{0,31}',
        max_items: 5,
        example: 'h2',
        description: 'ALPN protocols to offer',
      },
      tls1_2: { flag: '-tls1_2', type: 'boolean', excludes: ['tls1_3'], description: 'Use TLS 1.2 only' },
      tls1_3: { flag: '-tls1_3', type: 'boolean', description: 'Use TLS 1.3 only' },
      starttls: {
        flag: '-starttls',
        type: 'enum',
        values: ['smtp', 'pop3', 'imap', 'ftp', 'xmpp', 'lmtp', 'nntp', 'sieve', 'ldap', 'postgres', 'mysql'],
        description: 'Start in plain text and upgrade with STARTTLS',
      },
    },
    // Without -no_ign_eof openssl would wait for input after the handshake.
    always: ['-showcerts', '-no_ign_eof'],
    target: { kind: 'host', flag: '-connect', form: '{host}:{port}', name_flag: '-servername' },
    limits: { timeout_sec: 15, max_timeout_sec: 60, concurrency: 4, max_stdout_bytes: 262_144 },
    effects: { labels: ['network'] },
  },
  { parser: tlsOutput },
);
