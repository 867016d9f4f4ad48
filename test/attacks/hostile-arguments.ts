/** Arguments as a hostile client writes them, byte for byte, and the one refusal that every door gives. */
export interface HostileArguments {
  readonly name: string;
  readonly bytes: Buffer;
  /** Fault of the decoder, or error code of a call that was refused. */
  readonly refusal: string;
}

const text = (name: string, json: string, refusal: string): HostileArguments => ({
  name,
  bytes: Buffer.from(json),
  refusal,
});
const raw = (name: string, bytes: readonly (string | number)[], refusal: string): HostileArguments => ({
  name,
  bytes: Buffer.concat(bytes.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part])))),
  refusal,
});
const nested = (levels: number, open: string, close: string): string =>
  `{"target":${open.repeat(levels)}1${close.repeat(levels)}}`;
const target = '"target":"127.0.0.1"';

export const hostileArguments: readonly HostileArguments[] = [
  text('lists 200 levels deep', nested(200, '[', ']'), 'too_deep'),
  text('lists 20,000 levels deep', nested(20_000, '[', ']'), 'too_deep'),
  text('objects 6,000 levels deep', nested(6_000, '{"a":', '}'), 'too_deep'),
  text('brackets that never close', `{"target":${'['.repeat(100)}`, 'too_deep'),
  text('a key twice', `{${target},"target":"8.8.8.8"}`, 'duplicate_key'),
  text('a key twice by an escape', `{${target},"\\u0074arget":"8.8.8.8"}`, 'duplicate_key'),
  text('a key twice in an inner object', `{${target},"x":{"a":1,"a":2}}`, 'duplicate_key'),
  text('__proto__ twice', '{"__proto__":1,"__proto__":2}', 'duplicate_key'),
  raw('a byte that is not UTF-8', ['{"target":"', 0xff, '"}'], 'not_utf8'),
  raw('an overlong encoding', ['{"target":"', 0xc0, 0xaf, '"}'], 'not_utf8'),
  raw('a surrogate in UTF-8', ['{"target":"', 0xed, 0xa0, 0x80, '"}'], 'not_utf8'),
  text('a lone surrogate', '{"target":"127.0.0.1\\ud800"}', 'lone_surrogate'),
  text('a lone surrogate as a key', '{"\\udfff":1}', 'lone_surrogate'),
  text('a number beyond every double', `{${target},"count":1e999}`, 'number_range'),
  text('text after the object', `{${target}} {`, 'not_json'),
  text('a comma too many', `{${target},}`, 'not_json'),
  text('a comment', `{${target}/**/}`, 'not_json'),
  text('single quotes', "{'target':'127.0.0.1'}", 'not_json'),
  text('NaN', `{${target},"count":NaN}`, 'not_json'),
  text('a raw control character', '{"target":"127.0.0.1\u0001"}', 'not_json'),
  text('a byte order mark inside', `{\ufeff${target}}`, 'not_json'),
  text('a list', '[]', 'not_object'),
  text('a text', '"127.0.0.1"', 'not_object'),
  text('null', 'null', 'not_object'),
  text('a number for a text', '{"target":5}', 'invalid_arguments'),
  text('null for a text', '{"target":null}', 'invalid_arguments'),
  text('a list for a text', '{"target":["127.0.0.1"]}', 'invalid_arguments'),
  text('an object for a text', '{"target":{"toString":"127.0.0.1"}}', 'invalid_arguments'),
  text('__proto__ that holds the arguments', `{"__proto__":{${target}}}`, 'invalid_arguments'),
  text('constructor', `{${target},"constructor":{"prototype":{"x":1}}}`, 'invalid_arguments'),
  text('an empty key', `{${target},"":1}`, 'invalid_arguments'),
  text('an integer beyond every double', `{${target},"count":123456789012345678901234567890}`, 'invalid_arguments'),
  text('a fraction for an integer', `{${target},"count":1.5}`, 'invalid_arguments'),
  text('an escaped NUL', '{"target":"127.0.0.1\\u0000"}', 'invalid_arguments'),
  text('an escaped line feed', '{"target":"127.0.0.1\\n-c 1"}', 'invalid_arguments'),
  text('a key of 100 KB', `{${target},"${'k'.repeat(100_000)}":1}`, 'invalid_arguments'),
  text('5,000 keys', `{${Array.from({ length: 5_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`, 'invalid_arguments'),
];
