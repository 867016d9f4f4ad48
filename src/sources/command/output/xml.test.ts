import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseXml } from './xml.js';

test('elements, attributes, text, CDATA, comments and the five entities are read', () => {
  const reading = parseXml(
    `<?xml version="1.0"?>\n<!DOCTYPE a>\n<!-- x --><a b="1 &amp; &#45;" c='"'>t&lt;<b/><![CDATA[<&]]></a>\n`,
  );
  const root = reading.ok ? reading.root : undefined;
  expect(root).toMatchObject({ name: 'a', text: 't<<&', children: [{ name: 'b', children: [], text: '' }] });
  expect(Object.fromEntries(root?.attributes ?? [])).toEqual({ b: '1 & -', c: '"' });
});

test.each([
  ['entities that grow', '<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;">]><a>&y;</a>'],
  ['entities that read files', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
  ['an external subset', '<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd"><a/>'],
  ['an unknown entity', '<a>&nbsp;</a>'],
  ['an unknown entity in an attribute', '<a b="&x;"/>'],
  ['a lone ampersand', '<a>a & b</a>'],
  ['a surrogate by reference', '<a>&#xd800;</a>'],
  ['a code point that is none', '<a>&#9999999;</a>'],
  ['tags that cross', '<a><b></a></b>'],
  ['an open element', '<a><b>'],
  ['two roots', '<a/><b/>'],
  ['text outside', 'x<a/>'],
  ['an open comment', '<a><!-- '],
  ['an attribute twice', '<a b="1" b="2"/>'],
  ['a bare attribute', '<a b/>'],
  ['nothing', ''],
  ['depth', '<a>'.repeat(65) + '</a>'.repeat(65)],
  ['width', `<a>${'<b/>'.repeat(200_001)}</a>`],
  ['too many attributes', `<a ${Array.from({ length: 70 }, (_, index) => `b${index}="x"`).join(' ')}/>`],
])('%s is refused', (_, text) => {
  expect(parseXml(text)).toMatchObject({ ok: false });
});

test('no text makes the reader throw', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '/',
      '<a',
      '</a>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '&',
      '&lt;',
      '&#1;',
      '"',
      "'",
      '=',
      ' b="c"',
      '<?',
      '?>',
      '<!DOCTYPE a>',
    ),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => void parseXml(pieces.join(''))),
    { numRuns: 2000 },
  );
});
