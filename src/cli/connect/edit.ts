import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../core/json.js';
import type { AssistantKind, ServersPlace } from '../../assistants/clients.js';
import { openDocument, type TextDocument } from '../../assistants/document.js';
import { isPlainObject } from '../../assistants/plain-object.js';

/** A file before and after a change. */
interface FileChange {
  readonly file: string;
  /** Undefined if the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Why a file was left alone. */
interface EditProblem {
  readonly problem: string;
}

/** The servers in a file of an assistant. */
export interface ServersFile extends ServersPlace {
  readonly client: AssistantKind;
}

/** Text of a file, or undefined if it does not exist. */
const readIfExists = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
/** Path of the backup, beside the real file so that it survives when a linked dotfile is moved. */
export const backupOf = (file: string): string => `${realPath(file)}.before-toolgate`;
/** Target of a symbolic link: dotfiles are often linked, and the link must stay. */
const realPath = (file: string): string => (existsSync(file) ? realpathSync(file) : file);

async function parseFile({ client, file }: ServersFile, text: string): Promise<TextDocument | EditProblem> {
  const document = await openDocument(client.format, text);
  return 'problem' in document
    ? {
        problem: `${file} cannot be read as ${client.format.toUpperCase()}, so it was not changed (${document.problem})`,
      }
    : document;
}

/** Walks own properties only: a member called `__proto__` must not reach the prototype (prototype pollution). */
const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);

/** Server entries of a parsed file by name; undefined if the member has another type. */
function entriesOf(
  { member, client }: ServersFile,
  value: JsonObject,
): Readonly<Record<string, JsonObject>> | undefined {
  const servers = valueAt(value, member) ?? (client.isList === true ? [] : {});
  if (client.isList !== true) {
    if (!isPlainObject(servers)) return undefined;
    return Object.fromEntries(
      Object.entries(servers).filter((pair): pair is [string, JsonObject] => isPlainObject(pair[1])),
    );
  }
  if (!Array.isArray(servers)) return undefined;
  return Object.fromEntries(servers.filter(isPlainObject).map((entry) => [String(entry['name']), entry]));
}

/** Path of one entry in the file; for a list the index, which is the end of the list for a new name. */
function pathOf({ member, client }: ServersFile, value: JsonObject, name: string): readonly (string | number)[] {
  if (client.isList !== true) return [...member, name];
  const list = valueAt(value, member);
  const items = Array.isArray(list) ? list : [];
  const index = items.findIndex((entry) => isPlainObject(entry) && entry['name'] === name);
  return [...member, index < 0 ? items.length : index];
}

/** Server entries in a file; none if it does not exist. */
export async function readServers(
  place: ServersFile,
): Promise<{ readonly entries: Readonly<Record<string, JsonObject>> } | EditProblem> {
  const text = readIfExists(place.file);
  if (text === undefined) return { entries: {} };
  const document = await parseFile(place, text);
  if ('problem' in document) return document;
  const entries = entriesOf(place, document.value);
  return entries === undefined
    ? { problem: `${place.member.join('.')} in ${place.file} has another type` }
    : { entries };
}

/** Plans setting and removing (undefined) entries; everything else in the file stays as it is written. */
export async function planChange(
  place: ServersFile,
  changes: Readonly<Record<string, JsonObject | undefined>>,
): Promise<FileChange | EditProblem> {
  const { file, member } = place;
  const before = readIfExists(file);
  let after = before ?? '';
  try {
    // One entry at a time on the text of the previous step: paths in a list shift with every change.
    for (const [name, entry] of Object.entries(changes)) {
      const document = await parseFile(place, after);
      if ('problem' in document) return document;
      const entries = entriesOf(place, document.value);
      if (entries === undefined)
        return { problem: `${member.join('.')} in ${file} has another type, so the file was not changed` };
      // Equal entries are not written again, so that formatting stays and a second run changes nothing.
      if (isDeepStrictEqual(entries[name], entry)) continue;
      after = document.withValue(pathOf(place, document.value, name), entry);
    }
  } catch (error) {
    return { problem: `${file} was not changed: ${error instanceof Error ? error.message : String(error)}` };
  }
  return { file, before, after };
}

/** Writes a change atomically; keeps the file from before the first change as a backup, if there was one. */
export function applyChange({ file, before, after }: FileChange, backup: string = backupOf(file)): void {
  mkdirSync(dirname(file), { recursive: true });
  const real = realPath(file);
  // 0600 for a new file: entries may hold tokens.
  const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600;
  // The first backup is kept: a later one would already contain our own changes.
  if (before !== undefined && !existsSync(backup)) writeFileSync(backup, before, { mode: 0o600 });
  // A draft and a rename: the assistant never reads half a file, and a crash leaves the old one.
  const draft = `${real}.toolgate-${process.pid}`;
  writeFileSync(draft, after, { mode });
  renameSync(draft, real);
}

type UndoResult = 'nothing' | 'restored' | 'removed' | EditProblem;

/**
 * Undoes a change of one entry, or (`all`) of all entries: puts back what the backup has and the file has not, and removes the
 * gateway. If the result is the content of the backup, its exact text is restored.
 */
export async function undoChange(
  place: ServersFile,
  name: string,
  { backup = backupOf(place.file), all = false }: { readonly backup?: string; readonly all?: boolean } = {},
): Promise<UndoResult> {
  const { file } = place;
  const current = await readServers(place);
  if ('problem' in current) return current;
  const { entries } = current;
  // The user has removed the entry since; there is nothing to undo.
  if (!Object.hasOwn(entries, name)) return 'nothing';
  const original = readIfExists(backup);
  const document = original === undefined ? undefined : await parseFile(place, original);
  const earlier = document === undefined || 'problem' in document ? {} : (entriesOf(place, document.value) ?? {});
  const lost = all ? Object.keys(earlier).filter((each) => !Object.hasOwn(entries, each)) : [];
  const planned = await planChange(
    place,
    Object.fromEntries([name, ...lost].map((each) => [each, Object.hasOwn(earlier, each) ? earlier[each] : undefined])),
  );
  if ('problem' in planned) return planned;
  const left = await parseFile(place, planned.after);
  if ('problem' in left) return left;
  const isOriginal =
    document !== undefined && !('problem' in document) && isDeepStrictEqual(pruned(left.value), pruned(document.value));
  // The file did not exist before and holds nothing else: removing it restores the state of before.
  if (original === undefined && isEmpty(left.value)) {
    rmSync(realPath(file));
    return 'restored';
  }
  // Byte for byte where possible, so that undo leaves no trace in version control of dotfiles.
  writeFileSync(realPath(file), isOriginal && original !== undefined ? original : planned.after);
  rmSync(backup, { force: true });
  return isOriginal ? 'restored' : 'removed';
}

/** Without members that an edit left empty. */
const pruned = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => !isEmptyValue(item)));
const isEmpty = (value: JsonObject): boolean => Object.values(value).every(isEmptyValue);
const isEmptyValue = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isPlainObject(value) && isEmpty(value);
