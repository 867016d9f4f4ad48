import type { Json, JsonObject } from '../../../core/json.js';
import { clean } from '../../../hostile-text/clean.js';
import { variableOf } from '../../../lib/text/secret-references.js';
import { secretText } from '../../../lib/text/secret-text.js';
import type { Operation } from '../document/model.js';
import {
  fieldEntries,
  booleanField,
  isRawObject,
  ownField,
  textField,
  textListField,
  type RawObject,
} from '../document/fields.js';

/** Overrides of what is derived from an operation. */
export interface Override {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
  readonly labels?: readonly string[];
  /** Effects that `x-mcp` of the document claims and that would lower a decision. */
  readonly claims?: Pick<Override, 'readOnly' | 'destructive' | 'idempotent' | 'openWorld'>;
  /** Replacement schemas by argument name. */
  readonly arguments?: Readonly<Record<string, JsonObject>>;
  /** Arguments that callers do not give, by name. */
  readonly preset?: Readonly<Record<string, PresetArgument>>;
  readonly meta?: JsonObject;
}

/** An argument with a value of the operator, or one that is never sent. */
export type PresetArgument = { readonly fixed: Json } | { readonly hidden: true };

/** Operator's overrides, by operationId or `METHOD /path`. */
export type Overlay = ReadonlyMap<string, Override>;

const knownKeys = new Set([
  'name',
  'title',
  'description',
  'hidden',
  'read_only',
  'destructive',
  'idempotent',
  'open_world',
  'labels',
  'arguments',
  'meta',
]);

/** Parses overlay data; unknown keys are errors, since a misspelt override would silently have no effect. */
export function parseOverlay(
  value: unknown,
): { readonly ok: true; readonly overlay: Overlay } | { readonly ok: false; readonly problem: string } {
  if (
    !isRawObject(value) ||
    !isRawObject(ownField(value, 'operations')) ||
    Object.keys(value).some((key) => key !== 'operations')
  )
    return { ok: false, problem: 'an overlay must be an object with the single key `operations`' };
  const overlay = new Map<string, Override>();
  for (const [key, raw] of fieldEntries(value, 'operations')) {
    const wrong = isRawObject(raw) ? Object.keys(raw).find((field) => !knownKeys.has(field)) : key;
    if (!isRawObject(raw) || wrong !== undefined)
      return {
        ok: false,
        problem: `operations.${key.slice(0, 80)}: ${isRawObject(raw) ? `${wrong?.slice(0, 40)} is not a known key` : 'is not an object'}`,
      };
    const override = parseOverride(raw);
    const bad = Object.entries(override.preset ?? {}).find(([, preset]) => presetProblem(preset) !== undefined);
    if (bad !== undefined)
      return { ok: false, problem: `operations.${key.slice(0, 80)}.arguments.${bad[0]}: ${presetProblem(bad[1])}` };
    overlay.set(key, override);
  }
  return { ok: true, overlay };
}

/** Merges overrides key by key: the overlay takes precedence over `x-mcp` of the document, which can only make effects stricter. */
export function findOverride(operation: Operation, overlay: Overlay): Override {
  const document = ownField(operation.extensions, 'x-mcp');
  const byId = operation.operationId === undefined ? undefined : overlay.get(operation.operationId);
  return {
    ...(isRawObject(document) && withoutRelief(cleanMeta(withoutPresets(parseOverride(document))))),
    ...byId,
    ...overlay.get(`${operation.method} ${operation.path}`),
  };
}

/** Why the value of an argument cannot be used; references to the secret store are resolved in the configuration only. */
function presetProblem(preset: PresetArgument): string | undefined {
  if (!('fixed' in preset) || typeof preset.fixed !== 'string') return undefined;
  const read = secretText(preset.fixed);
  if (!read.ok) return `fixed ${read.message}`;
  const stored = read.secret.names.find((name) => variableOf(name) === undefined);
  return stored === undefined ? undefined : `fixed refers to ${stored}; an overlay may refer to variables only`;
}

/** Moves effects that would lower a decision to `claims`: the author of a document is not the operator. */
function withoutRelief({ readOnly, destructive, idempotent, openWorld, ...rest }: Override): Override {
  const claims = {
    ...(readOnly === true && { readOnly }),
    ...(destructive === false && { destructive }),
    ...(idempotent === true && { idempotent }),
    ...(openWorld === false && { openWorld }),
  };
  return {
    ...rest,
    ...(readOnly === false && { readOnly }),
    ...(destructive === true && { destructive }),
    ...(idempotent === false && { idempotent }),
    ...(openWorld === true && { openWorld }),
    ...(Object.keys(claims).length > 0 && { claims }),
  };
}

/** Drops values that a document presets: it could send the operator's variables to its own service. */
function withoutPresets(given: Override): Override {
  const { preset: _, ...rest } = given;
  return rest;
}

const maxMetaBytes = 4_096;

/** Sanitises metadata from the document and drops it if too large, since every client that lists the tool receives it. */
function cleanMeta({ meta, ...rest }: Override): Override {
  if (meta === undefined || Buffer.byteLength(JSON.stringify(meta)) > maxMetaBytes) return rest;
  return {
    ...rest,
    meta: Object.fromEntries(
      Object.entries(meta).map(([key, value]) => [clean(key).text, value === undefined ? value : cleanJson(value)]),
    ),
  };
}

function cleanJson(value: Json): Json {
  if (typeof value === 'string') return clean(value).text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanJson);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [clean(key).text, item === undefined ? item : cleanJson(item)]),
  );
}

function parseOverride(raw: RawObject): Override {
  const [name, title, description] = [textField(raw, 'name'), textField(raw, 'title'), textField(raw, 'description')];
  const flags = {
    hidden: booleanField(raw, 'hidden'),
    readOnly: booleanField(raw, 'read_only'),
    destructive: booleanField(raw, 'destructive'),
    idempotent: booleanField(raw, 'idempotent'),
    openWorld: booleanField(raw, 'open_world'),
  };
  const schemas = fieldEntries(raw, 'arguments').filter((entry): entry is readonly [string, JsonObject] =>
    isRawObject(entry[1]),
  );
  const presets = schemas.filter(([, value]) => isPreset(value));
  const meta = ownField(raw, 'meta');
  return {
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
    ...(Array.isArray(ownField(raw, 'labels')) && { labels: textListField(raw, 'labels') }),
    ...(schemas.length > presets.length && {
      arguments: Object.fromEntries(schemas.filter(([, value]) => !isPreset(value))),
    }),
    ...(presets.length > 0 && {
      preset: Object.fromEntries(
        presets.map(([argument, { fixed }]): [string, PresetArgument] => [
          argument,
          fixed === undefined ? { hidden: true } : { fixed },
        ]),
      ),
    }),
    ...(isRawObject(meta) && { meta: meta as Record<string, Json> }), // overlays are JSON or YAML without tags
  };
}

/** Whether an entry of `arguments` presets the argument instead of replacing its schema. */
const isPreset = (value: JsonObject): boolean =>
  Object.keys(value).length === 1 && (value['fixed'] !== undefined || value['hidden'] === true);
