/** Values that parsers and validators stumble over. */
const hostile = [
  'null',
  'true',
  '-0',
  '1e999',
  '9007199254740993',
  '""',
  '[]',
  '{}',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '{"__proto__":{"a":1}}',
  '[[[[[[[[[[]]]]]]]]]]',
  '"../../etc/passwd"',
  '"\\u202e"',
  '{"a":1,"a":2}',
  '1.0000000000000000001',
  '"tools/call"',
  '"2.0"',
  'NaN',
];
const bytes = [0x00, 0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a, 0x0a, 0xff, 0xc3, 0xed, 0x20];

/** Mutations that a seed determines (xorshift). */
export function mutations(seed) {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const random = (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const pick = (list) => list[random(list.length)];
  const cut = (data, from, to, middle = Buffer.alloc(0)) =>
    Buffer.concat([data.subarray(0, from), middle, data.subarray(to)]);

  const ways = [
    (data) => data,
    (data) => {
      const copy = Buffer.from(data);
      copy[random(copy.length || 1)] = pick(bytes);
      return copy;
    },
    (data) => {
      const from = random(data.length + 1);
      return cut(data, from, Math.min(data.length, from + random(24)));
    },
    (data) => {
      const from = random(data.length + 1);
      return cut(data, from, from, data.subarray(from, from + random(64)));
    },
    (data) => data.subarray(0, random(data.length + 1)),
    // A value of the JSON text is replaced, so that the message stays readable and its meaning changes.
    (data) => {
      const text = data.toString('latin1');
      const found = [...text.matchAll(/:("[^"]*"|\d+|\{[^{}]*\})/g)];
      if (found.length === 0) return data;
      const { index, 1: value } = pick(found);
      return cut(data, index + 1, index + 1 + value.length, Buffer.from(pick(hostile)));
    },
    (data) => Buffer.concat([Buffer.from('['.repeat(random(300))), data]),
    (data) => Buffer.from(data.toString('latin1').replace('said', 'x'.repeat(random(20_000))), 'latin1'),
  ];
  return {
    pick,
    mutate(data) {
      let mutated = data;
      for (let times = 1 + random(3); times > 0; times -= 1) mutated = pick(ways)(mutated);
      return mutated;
    },
  };
}
