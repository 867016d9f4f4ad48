/** An XML element. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** A tree, or where and why parsing failed. */
type XmlResult = { readonly ok: true; readonly root: XmlElement } | { readonly ok: false; readonly reason: string };

/** An element whose end tag has not been read yet. */
interface OpenElement {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/** Bounds: the document comes from a program that reports on untrusted hosts. */
const maxXmlDepth = 64;
const maxElements = 200_000;
const maxAttributes = 64;
const predefinedEntities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** Sticky patterns match at the current position only, so that no slice of the text is copied. */
const namePattern = /[A-Za-z_:][A-Za-z0-9._:-]*/y;
const attributePattern = /\s+([A-Za-z_:][A-Za-z0-9._:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEndPattern = /\s*(\/?)>/y;
const closingTagPattern = /<\/([A-Za-z_:][A-Za-z0-9._:-]*)\s*>/y;
// Rejects an internal subset, where entities are declared: billion laughs and XXE file disclosure.
const doctypePattern = /<!DOCTYPE\s+[A-Za-z_:][A-Za-z0-9._:-]*\s*>/y;

/** Parses XML into a tree; supports only the five predefined entities (no XXE), with fixed limits on depth and size. */
export function parseXml(text: string): XmlResult {
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let at = 0;
  const no = (reason: string): XmlResult => ({ ok: false, reason: `${reason} at character ${at}` });
  // Moves the position past a match.
  const match = (rule: RegExp): RegExpExecArray | undefined => {
    rule.lastIndex = at;
    const found = rule.exec(text);
    if (found !== null) at = rule.lastIndex;
    return found ?? undefined;
  };
  // Skips a construct without looking into it.
  const skip = (from: string, to: string): boolean => {
    const end = text.indexOf(to, at + from.length);
    if (end >= 0) at = end + to.length;
    return end >= 0;
  };
  // Attaches a finished element; XML has exactly one root.
  const close = (element: OpenElement): string | undefined => {
    const parent = open.at(-1);
    if (parent !== undefined) parent.children.push(element);
    else if (root !== undefined) return 'a second root element';
    else root = element;
    return undefined;
  };

  while (at < text.length) {
    const next = text.indexOf('<', at);
    const run = next < 0 ? text.slice(at) : text.slice(at, next);
    const inside = open.at(-1);
    if (inside !== undefined) {
      const decoded = decodeReferences(run);
      if (decoded === undefined) return no('an unknown entity');
      inside.text += decoded;
    } else if (run.trim() !== '') return no('text outside the root element');
    if (next < 0) break;
    at = next;

    if (text.startsWith('<!--', at)) {
      if (!skip('<!--', '-->')) return no('an unterminated comment');
    } else if (text.startsWith('<?', at)) {
      if (!skip('<?', '?>')) return no('an unterminated processing instruction');
    } else if (text.startsWith('<![CDATA[', at)) {
      const from = at + 9;
      if (inside === undefined || !skip('<![CDATA[', ']]>')) return no('an unterminated CDATA section');
      inside.text += text.slice(from, at - 3);
    } else if (text.startsWith('<!', at)) {
      if (match(doctypePattern) === undefined) return no('a declaration that is not allowed');
    } else if (text.startsWith('</', at)) {
      const [, name] = match(closingTagPattern) ?? [];
      const element = open.pop();
      if (element === undefined || element.name !== name) return no('a closing tag without a matching opening tag');
      const problem = close(element);
      if (problem !== undefined) return no(problem);
    } else {
      at += 1;
      const [name] = match(namePattern) ?? [];
      if (name === undefined) return no('a tag without a name');
      elements += 1;
      if (elements > maxElements) return no('too many elements');
      const attributes = new Map<string, string>();
      for (let found = match(attributePattern); found !== undefined; found = match(attributePattern)) {
        const value = decodeReferences(found[2] ?? found[3] ?? '');
        if (value === undefined) return no('an unknown entity');
        // Not well-formed by the specification, and two values for one name are a way past checks.
        if (attributes.has(found[1] ?? '')) return no('an attribute given twice');
        attributes.set(found[1] ?? '', value);
        if (attributes.size > maxAttributes) return no('too many attributes');
      }
      const [end, empty] = match(tagEndPattern) ?? [];
      if (end === undefined) return no('a tag that does not end');
      const element: OpenElement = { name, attributes, children: [], text: '' };
      if (empty === '/') {
        const problem = close(element);
        if (problem !== undefined) return no(problem);
      } else {
        open.push(element);
        if (open.length > maxXmlDepth) return no('elements nested too deep');
      }
    }
  }
  if (open.length > 0) return no('an element that is never closed');
  return root === undefined ? no('no element') : { ok: true, root };
}

/** Resolves character references; undefined if one is unknown. */
function decodeReferences(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let unknown = false;
  const decoded = text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z]{1,10}));|&/g,
    (_, hex?: string, decimal?: string, name?: string) => {
      const point = hex !== undefined ? parseInt(hex, 16) : decimal !== undefined ? Number(decimal) : undefined;
      const character =
        point === undefined
          ? predefinedEntities[name ?? '']
          : // Surrogates and numbers beyond Unicode are not characters in XML.
            point <= 0x10_ffff && !(point >= 0xd800 && point <= 0xdfff)
            ? String.fromCodePoint(point)
            : undefined;
      unknown ||= character === undefined;
      return character ?? '';
    },
  );
  return unknown ? undefined : decoded;
}
