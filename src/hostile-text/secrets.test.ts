/* oxlint-disable no-useless-concat -- parts are joined at run time, so that no scanner of this repository mistakes the tables for leaked keys */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { looksLikeLiteralSecret } from './literal-secret.js';
import { redact, secretRedactor } from './secrets.js';

const mixed = (length: number): string => 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY'.repeat(8).slice(0, length);
const upper = (length: number): string => 'ABCD2345EFGH6789JKLM'.repeat(4).slice(0, length);
const hex = (length: number): string => '0f1e2d3c4b5a69788796'.repeat(8).slice(0, length);

const secrets: readonly (readonly [kind: string, before: string, secret: string, after: string])[] = [
  ['aws-access-key', 'key ', 'AK' + 'IA' + upper(16), ' used'],
  ['aws-secret-key', 'aws_secret_access_key = ', mixed(40), '\n'],
  ['aws-secret-key', '"SecretAccessKey": "', mixed(40), '"'],
  ['github-token', 'token=', 'ghp' + '_' + mixed(36), ''],
  ['github-token', '', 'github' + '_pat_' + mixed(22) + '_' + mixed(59), ' '],
  ['gitlab-token', '', 'glpat' + '-' + mixed(20), '\n'],
  ['slack-token', '(', 'xoxb' + '-123456789012-' + mixed(24), ')'],
  ['slack-webhook', 'https://hooks.slack.com/services/', 'T0' + upper(8) + '/B0' + upper(8) + '/' + mixed(24), ''],
  ['stripe-key', '', 'sk_' + 'live_' + mixed(24), ''],
  ['npm-token', '//packages.example/:_authToken=', 'npm' + '_' + mixed(36), ''],
  ['pypi-token', '', 'pypi-' + 'AgEIcHlwaS5vcmc' + mixed(80), ''],
  ['anthropic-key', '', 'sk-' + 'ant-api03-' + mixed(90), ''],
  ['openai-key', '', 'sk-' + 'proj-' + mixed(48), ''],
  ['openai-key', '', 'sk-' + mixed(48), ''],
  ['google-key', '?key=', 'AI' + 'za' + mixed(35), '&x=1'],
  ['google-secret', '', 'GOC' + 'SPX-' + mixed(28), ''],
  ['azure-key', 'AccountName=x;AccountKey=', mixed(86) + '==', ';EndpointSuffix=core'],
  ['digitalocean-token', '', 'dop_' + 'v1_' + hex(64), ''],
  ['sendgrid-key', '', 'SG' + '.' + mixed(22) + '.' + mixed(43), ''],
  ['twilio-key', '', 'S' + 'K' + hex(32), ''],
  ['telegram-token', 'bot 123456789:', 'AA' + mixed(33), ''],
  ['vault-token', '', 'hv' + 's.' + mixed(40), ''],
  ['jwt', 'cookie=', 'ey' + 'J' + mixed(20) + '.ey' + 'J' + mixed(40) + '.' + mixed(43), ';'],
  ['authorization-header', 'Authorization: Basic ', 'dXNlcjpodW50ZXIyMTIz', '\n'],
  ['bearer-token', 'curl -H "X: Bearer ', mixed(40), '"'],
  ['password-in-url', 'postgres://app:', 'hunter2!', '@db.internal/x'],
  ['password-in-connection-string', 'Server=db;Database=x;Password=', 'hunter2!', ';'],
  [
    'private-key',
    'x\n',
    '-----BEGIN RSA ' + 'PRIVATE KEY-----\n' + mixed(64) + '\n' + mixed(30) + '\n-----END RSA PRIVATE KEY-----',
    '\ny',
  ],
  [
    'private-key',
    'x\n',
    '-----BEGIN ' + 'PRIVATE KEY-----\n' + mixed(64) + '\n' + mixed(64),
    '\n\nthe rest of the log',
  ],
];

const innocent: readonly string[] = [
  'AKIA is the prefix; AK' + 'IAIOSFODNN7EXAMPLE is the example of the manual',
  'set GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'commit 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c and sha256:' + hex(64),
  'the task-oriented risk-adjusted desk-research sk-learn',
  'https://user:password@example.com and redis://:${REDIS_PASSWORD}@host and ftp://<user>:<pass>@host',
  'Authorization: Bearer <token>, Bearer authentication, Bearer ${TOKEN}',
  'see https://example.com:8080/path@v2 and http://host:80/@scope/pkg',
  '-----BEGIN CERTIFICATE-----\n' + mixed(64) + '\n-----END CERTIFICATE-----',
  'eyJ is how a JWT begins',
  'data:image/png;base64,' + mixed(200),
  '550e8400-e29b-41d4-a716-446655440000',
];

describe('redact', () => {
  test.each(secrets)(
    '%s is taken out and named, what stands around it stays [S2.26]',
    (kind, before, secret, after) => {
      expect(redact(before + secret + after)).toEqual({
        text: `${before}[redacted:${kind}]${after}`,
        findings: [{ kind, count: 1 }],
      });
    },
  );

  test.each(innocent)('%s is left alone', (text) => {
    const result = redact(text);
    expect(result).toEqual({ text, findings: [] });
  });

  test('configured values go in plain, URL, JSON and base64 form', () => {
    const value = 'p@ss"w/rd+42';
    const redactor = secretRedactor({ values: [value, 'no'] });
    const inside = (shift: string): string => Buffer.from(`${shift}${value}tail`).toString('base64');
    for (const text of [
      value,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      inside('x'),
      inside('xy'),
      inside('xyz'),
    ]) {
      expect(redactor(`no: ${text} no`).findings).toEqual([{ kind: 'configured', count: 1 }]);
    }
    expect(redactor(`a ${value} b ${value}`)).toEqual({
      text: 'a [redacted:configured] b [redacted:configured]',
      findings: [{ kind: 'configured', count: 2 }],
    });
  });

  test('overlapping secrets leave no tail behind', () => {
    const key = 'ghp' + '_' + mixed(36);
    const result = secretRedactor({ values: [`${key.slice(20)} and more`] })(`x ${key} and more`);
    expect(result.text).toBe('x [redacted:github-token]');
  });

  test('no configured value survives in any text, and redacting twice is redacting once', () => {
    const value = fc.stringMatching(/^[a-zA-Z0-9!-]{6,12}$/);
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 5 }),
        fc.array(fc.oneof(fc.string(), fc.nat(4)), { maxLength: 8 }),
        (values, parts) => {
          fc.pre(values.every((one) => !'[redacted:configured]'.includes(one)));
          const redactor = secretRedactor({ values });
          const text = parts.map((part) => (typeof part === 'number' ? (values[part] ?? '') : part)).join(' ');
          const once = redactor(text).text;
          for (const one of values) expect(once).not.toContain(one);
        },
      ),
    );
  });

  test('a flood of openings is read once, not once per opening', () => {
    const flood =
      ('-----BEGIN ' + 'PRIVATE KEY-----\n').repeat(50_000) +
      'eyJaaaaaaaaaaaa.'.repeat(50_000) +
      '://a:'.repeat(100_000) +
      'sk-ant-'.repeat(100_000);
    expect(redact(flood).text.length).toBeGreaterThan(0);
  });
});

describe('looksLikeLiteralSecret', () => {
  test.each([
    ['env.GITHUB', 'ghp' + '_' + mixed(36), { why: 'known-format', kind: 'github-token' }],
    ['url', 'postgres://app:hunter2!@db/x', { why: 'known-format', kind: 'password-in-url' }],
    ['client_secret', 'hunter2hunter2', { why: 'named-like-a-secret' }],
    ['DB_PASSWORD', 'Tr0ub4dor&3', { why: 'named-like-a-secret' }],
    ['Authorization', 'Bearer abcdef123456', { why: 'named-like-a-secret' }],
    ['apiToken', 'q8w7e6r5t4', { why: 'named-like-a-secret' }],
    ['X-Thing', 'q8W7e6R5t4Y3u2I1o0PaSdFgHjKl9ZxCvBnM', { why: 'high-entropy' }],
  ] as const)('%s: %s is flagged [S2.19]', (key, value, why) => {
    expect(looksLikeLiteralSecret(key, value)).toEqual(why);
  });

  test.each([
    ['password', '${DB_PASSWORD}'],
    ['Authorization', 'Bearer ${TOKEN}'],
    ['api_key', 'your-api-key-here'],
    ['api_key', '<key>'],
    ['token_url', 'https://login.example.com/oauth/token'],
    ['max_tokens', '4096'],
    ['tokenizer', 'cl100k_base'],
    ['description', 'Reads the secret garden from the library'],
    ['sha256', mixed(64)],
    ['path', '/usr/local/share/applications/some-long-directory-name/file'],
    ['id', '550e8400-e29b-41d4-a716-446655440000'],
    ['name', 'averyLongCamelCaseIdentifierThatSomebodyWrote'],
    ['password', ''],
  ])('%s: %s is not flagged', (key, value) => {
    expect(looksLikeLiteralSecret(key, value)).toBeUndefined();
  });
});
