import type { Language } from '../../ir/nodes.js';
import { modelIndex, type Model } from './model-index.js';
import type { ModelKind } from './rows.js';
import { modelTables } from './tables/index.js';

const commonModels = modelIndex(modelTables.shared);
const script = modelIndex(modelTables.script);
const sinks = { python: modelIndex(modelTables.python), javascript: script, typescript: script } as const;

/** Kinds of sinks that need no code: the arguments of the row reach them. */
const sinkKinds = [
  'sink:code',
  'sink:path',
  'sink:path-write',
  'sink:url',
  'sink:deserialise',
  'sink:template',
  'sink:module',
  'sink:archive',
  'sink:query',
  'sink:environment',
] as const satisfies readonly ModelKind[];
export type SinkKind = (typeof sinkKinds)[number];

/** The sink model of a function by its qualified name. */
export function sinkModel(language: Language, name: string): (Model & { readonly kind: SinkKind }) | undefined {
  for (const kind of sinkKinds) {
    const found = sinks[language].find(kind, name);
    if (found) return { ...found, kind };
  }
  return undefined;
}

/** The model of a kind for a qualified name or a method. */
export const modelOf = (kind: ModelKind, name: string): Model | undefined => commonModels.find(kind, name);

/** Whether the tables have a row of this kind for a qualified name or a method. */
export const isModelled = (kind: ModelKind, name: string): boolean => commonModels.find(kind, name) !== undefined;

/** Whether a qualified name belongs to a package of this kind. */
export const isOfPackage = (kind: ModelKind, name: string): boolean => commonModels.startsWithPackage(kind, name);

/** Whether a value is a parsed URL. */
export const isParsedUrl = (name: string | undefined): boolean =>
  name !== undefined && name.endsWith('()') && isModelled('parses-url', name.slice(0, -2));

const specific = ['resolves-address', 'parses-url', 'sanitizer', 'normalizes-path', 'builds-path'] as const;

/** Whether a call has a specific transfer model in the tables. */
export const hasTransferModel = (name: string): boolean => specific.some((kind) => isModelled(kind, name));
