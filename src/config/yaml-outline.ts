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

/** How deep values may be nested, and how many there may be, each with its aliases unfolded. */
export const MAX_DEPTH = 64;
const MAX_VALUES = 50_000;

/** One value of a file, without its content: where it is and what stands below it. */
export interface Part {
  readonly offset: number;
  /** By key, or by index as text; `offset` is that of the key. */
  readonly below: Map<string, { readonly offset: number; readonly part: Part }>;
  /** Unfolded. */
  size: number;
  height: number;
}

/** The outline of a file and everything in it that may not be built. */
export interface Outline {
  readonly root: Part | undefined;
  readonly faults: readonly { readonly offset: number; readonly message: string }[];
}

interface Frame {
  readonly part: Part;
  readonly isMap: boolean;
  readonly anchor: string | undefined;
  key: { readonly text: string; readonly offset: number } | undefined;
}

/** Walks the events of a text once, without recursion, and refuses what would turn against whoever walks the data. */
export function outlineOf(events: readonly Event[], source: string): Outline {
  const faults: { offset: number; message: string }[] = [];
  const say = (offset: number, message: string): void => void faults.push({ offset, message });
  const anchors = new Map<string, Part>();
  const stack: Frame[] = [];
  let root: Part | undefined;
  let documents = 0;

  /** Hands a finished value to what it stands in; `text` is there for a scalar that can be a key. */
  const deliver = (part: Part, text?: string): void => {
    const frame = stack.at(-1);
    if (frame === undefined) {
      root ??= part;
      return;
    }
    if (frame.isMap && frame.key === undefined) {
      if (text === undefined) say(part.offset, 'has a key that is not a plain text');
      else if (['__proto__', 'constructor', 'prototype'].includes(text))
        say(part.offset, `has a key that cannot be used: ${text}`);
      else if (frame.part.below.has(text)) say(part.offset, `has the key ${text} a second time`);
      frame.key = { text: text ?? '', offset: part.offset };
      return;
    }
    frame.part.size += part.size;
    frame.part.height = Math.max(frame.part.height, part.height + 1);
    const name = frame.key?.text ?? String(frame.part.below.size);
    frame.part.below.set(name, { offset: frame.key?.offset ?? part.offset, part });
    frame.key = undefined;
  };

  for (const event of events) {
    if (event.type === EVENT_DOCUMENT) {
      documents += 1;
      anchors.clear();
    } else if (event.type === EVENT_MAPPING || event.type === EVENT_SEQUENCE) {
      const anchor = anchorOf(event, source);
      // From here on the name means this value, even where an earlier one bore it.
      if (anchor !== undefined) anchors.delete(anchor);
      stack.push({ part: leaf(event.start), isMap: event.type === EVENT_MAPPING, anchor, key: undefined });
    } else if (event.type === EVENT_SCALAR) {
      const isQuoted = event.style === SCALAR_STYLE_SINGLE_QUOTED || event.style === SCALAR_STYLE_DOUBLE_QUOTED;
      const part = leaf(event.valueStart - (isQuoted ? 1 : 0));
      const anchor = anchorOf(event, source);
      if (anchor !== undefined) anchors.set(anchor, part);
      const text = getScalarValue(source, event);
      deliver(part, event.style === SCALAR_STYLE_PLAIN && /^(~|null|true|false|)$/i.test(text) ? undefined : text);
    } else if (event.type === EVENT_ALIAS) {
      const name = source.slice(event.anchorStart, event.anchorEnd);
      const target = anchors.get(name);
      // A value inside itself has no end, and it is not in the table before it is complete.
      if (target === undefined)
        say(
          event.anchorStart - 1,
          stack.some((frame) => frame.anchor === name)
            ? `refers to &${name} from inside it`
            : `refers to &${name}, which does not stand before it`,
        );
      deliver({ ...(target ?? leaf(0)), offset: event.anchorStart - 1 });
    } else if (event.type === EVENT_POP) {
      const frame = stack.pop();
      if (frame === undefined) continue;
      if (frame.anchor !== undefined) anchors.set(frame.anchor, frame.part);
      deliver(frame.part);
    }
  }
  if (documents > 1) say(0, 'holds more than one document');
  if ((root?.height ?? 0) > MAX_DEPTH) say(0, `is nested more than ${MAX_DEPTH} levels deep`);
  if ((root?.size ?? 0) > MAX_VALUES) say(0, `holds more than ${MAX_VALUES} values`);
  return { root, faults };
}

const leaf = (offset: number): Part => ({ offset: Math.max(0, offset), below: new Map(), size: 1, height: 0 });

const anchorOf = (
  event: { readonly anchorStart: number; readonly anchorEnd: number },
  source: string,
): string | undefined => (event.anchorStart < 0 ? undefined : source.slice(event.anchorStart, event.anchorEnd));
