/** Letters of other scripts that are drawn like a Latin letter, by the letter they pass for. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: '\u0430\u03b1\u0251\u1d00\u237a', b: '\u0184\u042c\u13cf', c: '\u0441\u03f2\u1d04\u217d', d: '\u0501\u0257\u217e', e: '\u0435\u04bd\u212e\u1d07\u03b5',
  f: '\u0192\u1e9d\u0584', g: '\u0261\u018d\u0581', h: '\u04bb\u0570\u13c2', i: '\u0456\u03b9\u0131\u04cf\u1d09\u2170\u0269', j: '\u0458\u03f3', k: '\u03ba\u043a\u1d0b\u049b',
  l: '\u217c\u01c0\u2113\u04c0', m: '\u217f\u1d0d\u043c', n: '\u0578\u057c\u03b7', o: '\u043e\u03bf\u0585\u1d0f\u03c3\u0ed0', p: '\u0440\u03c1\u2374', q: '\u051b\u0563\u0566',
  r: '\u0433\u1d26\u0280', s: '\u0455\ua731\u01bd', t: '\u0442\u03c4\u1d1b', u: '\u03c5\u057d\u1d1c\u028b', v: '\u03bd\u0475\u1d20\u2174', w: '\u0461\u051d\u1d21\u0561', x: '\u0445\u03c7\u2179',
  y: '\u0443\u03b3\u04af\u0263\u1d8c', z: '\u1d22\u0290',
  A: '\u0410\u0391\u13aa', B: '\u0412\u0392\u13f4', C: '\u0421\u03f9\u216d', D: '\u13a0\u216e', E: '\u0415\u0395\u13ac', F: '\u03dc\u15b4', G: '\u050c\u13c0', H: '\u041d\u0397\u13bb',
  I: '\u0406\u0399\u2160', J: '\u0408\u13ab', K: '\u041a\u039a\u212a', L: '\u13de\u216c', M: '\u041c\u039c\u216f', N: '\u039d', O: '\u041e\u039f\u0555', P: '\u0420\u03a1\u13e2',
  Q: '\u051a', R: '\u13a1\u01a6', S: '\u0405\u13da\u054f', T: '\u0422\u03a4\u13a2', U: '\u054d\u1200', V: '\u0474\u13d9\u2164', W: '\u051c\u13b3', X: '\u0425\u03a7\u2169', Y: '\u04ae\u03a5\u0423', Z: '\u0396\u13c3',
};

const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);

const ANY_LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join('')}]`, 'gu');

/** The text with every known look-alike written as the Latin letter it passes for; the very same string when it has none. */
export const toLatin = (text: string): string => text.replace(ANY_LOOK_ALIKE, (other) => LATIN.get(other) ?? other);
