import {
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  getScalarValue,
  SCALAR_STYLE_DOUBLE_QUOTED,
  SCALAR_STYLE_PLAIN,
  SCALAR_STYLE_SINGLE_QUOTED,
  type Event,
} from 'js-yaml';

/** Limits for nesting and number of values, with aliases expanded (billion laughs). */
export const maxYamlDepth = 64;
const maxYamlValues = 50_000;

/** One value of a file without its content: its position and children. */
export interface OutlineNode {
  readonly offset: number;
  /** By key, or by index as text; `offset` is the position of the key. */
  readonly children: Map<string, { readonly offset: number; readonly part: OutlineNode }>;
  /** With aliases expanded. */
  size: number;
  height: number;
}

/** The outline of a file, and the problems that prevent building its data. */
interface Outline {
  readonly root: OutlineNode | undefined;
  readonly problems: readonly { readonly offset: number; readonly message: string }[];
}

/** A map or list that is being read. */
interface Frame {
  readonly part: OutlineNode;
  readonly isMap: boolean;
  readonly anchor: string | undefined;
  key: { readonly text: string; readonly offset: number } | undefined;
}

/** Walks the parser events once, without recursion, and rejects alias bombs, duplicate keys and prototype pollution. */
export function outlineOf(events: readonly Event[], source: string): Outline {
  const faults: { offset: number; message: string }[] = [];
  const report = (offset: number, message: string): void => void faults.push({ offset, message });
  const anchors = new Map<string, OutlineNode>();
  const stack: Frame[] = [];
  let root: OutlineNode | undefined;
  let documents = 0;

  /** Attaches a completed value to its parent; `text` is set for a scalar that can be a key. */
  const attach = (part: OutlineNode, text?: string): void => {
    const frame = stack.at(-1);
    if (frame === undefined) {
      // The first document only: a second one is reported at the end.
      root ??= part;
      return;
    }
    if (frame.isMap && frame.key === undefined) {
      if (text === undefined) report(part.offset, 'has a key that is not a string');
      // Such keys would reach the prototype of the built object (prototype pollution).
      else if (['__proto__', 'constructor', 'prototype'].includes(text))
        report(part.offset, `has a key that is not allowed: ${text}`);
      else if (frame.part.children.has(text)) report(part.offset, `has the key ${text} twice`);
      frame.key = { text: text ?? '', offset: part.offset };
      return;
    }
    // Sizes add up with aliases expanded, which is what the built data would take.
    frame.part.size += part.size;
    frame.part.height = Math.max(frame.part.height, part.height + 1);
    const name = frame.key?.text ?? String(frame.part.children.size);
    frame.part.children.set(name, { offset: frame.key?.offset ?? part.offset, part });
    frame.key = undefined;
  };

  for (const event of events) {
    if (event.type === EVENT_DOCUMENT) {
      documents += 1;
      // Anchors do not cross documents.
      anchors.clear();
    } else if (event.type === EVENT_MAPPING || event.type === EVENT_SEQUENCE) {
      const anchor = anchorOf(event, source);
      // A redefined anchor replaces the earlier one.
      if (anchor !== undefined) anchors.delete(anchor);
      stack.push({ part: leaf(event.start), isMap: event.type === EVENT_MAPPING, anchor, key: undefined });
    } else if (event.type === EVENT_SCALAR) {
      // `valueStart` lies behind the quotation mark; editors show the position of the mark.
      const isQuoted = event.style === SCALAR_STYLE_SINGLE_QUOTED || event.style === SCALAR_STYLE_DOUBLE_QUOTED;
      const part = leaf(event.valueStart - (isQuoted ? 1 : 0));
      const anchor = anchorOf(event, source);
      if (anchor !== undefined) anchors.set(anchor, part);
      const text = getScalarValue(source, event);
      // A plain `null` or `true` is no text, and so no key.
      attach(part, event.style === SCALAR_STYLE_PLAIN && /^(~|null|true|false|)$/i.test(text) ? undefined : text);
    } else if (event.type === EVENT_ALIAS) {
      const name = source.slice(event.anchorStart, event.anchorEnd);
      const target = anchors.get(name);
      // A value that contains itself is endless; incomplete values are not in the table yet.
      if (target === undefined)
        report(
          event.anchorStart - 1,
          stack.some((frame) => frame.anchor === name)
            ? `refers to &${name} from inside itself`
            : `refers to &${name}, which is not defined before it`,
        );
      // Attached even if undefined, so that one bad alias does not hide the problems behind it.
      attach({ ...(target ?? leaf(0)), offset: event.anchorStart - 1 });
    } else if (event.type === EVENT_POP) {
      const frame = stack.pop();
      if (frame === undefined) continue;
      if (frame.anchor !== undefined) anchors.set(frame.anchor, frame.part);
      attach(frame.part);
    }
  }
  if (documents > 1) report(0, 'contains more than one document');
  // Checked once for the whole file: sizes and heights already include expanded aliases.
  if ((root?.height ?? 0) > maxYamlDepth) report(0, `is nested more than ${maxYamlDepth} levels deep`);
  if ((root?.size ?? 0) > maxYamlValues) report(0, `contains more than ${maxYamlValues} values`);
  return { root, problems: faults };
}

/** A node without children. */
const leaf = (offset: number): OutlineNode => ({
  offset: Math.max(0, offset),
  children: new Map(),
  size: 1,
  height: 0,
});

/** Name of an anchor at an event. */
const anchorOf = (
  event: { readonly anchorStart: number; readonly anchorEnd: number },
  source: string,
): string | undefined => (event.anchorStart < 0 ? undefined : source.slice(event.anchorStart, event.anchorEnd));
