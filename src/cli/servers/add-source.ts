import type { SecretStore } from '../../config/secrets/store.js';
import type { JsonObject } from '../../core/json.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { failure } from '../command-line.js';
import type { Io } from '../io.js';
import type { ProgressLines } from '../progress-lines.js';
import { changeSources } from '../sources-file.js';
import type { NewSecrets } from './secret-references.js';
import { trySource, type Tried } from './try-source.js';

/** A source that is planned and not written yet. */
interface NewSource {
  readonly id: string;
  /** Configuration file to write. */
  readonly file: string;
  readonly entry: JsonObject;
  readonly shown: string;
  readonly remarks: readonly string[];
  readonly secrets: NewSecrets;
  readonly store: SecretStore;
}

/** How a source is added; the same steps serve `add` and the console. */
interface AddOptions {
  readonly io: Io;
  readonly progress: ProgressLines;
  /** Verb in front of error messages. */
  readonly verb: string;
  /** Writes the entry without starting the server. */
  readonly isUntested: boolean;
  readonly asJson: boolean;
}

/** Stores its secrets, tries the source, then writes it; a source that cannot be used leaves neither entry nor secrets. */
export async function addSource(source: NewSource, options: AddOptions): Promise<number> {
  const { id, file, secrets, store } = source;
  const { io, verb, isUntested, asJson } = options;
  // Secrets first: the trial start already reads them by reference.
  for (const [name, value] of secrets) store.set(name, value);
  // Takes the secrets back out, so that a failed attempt leaves nothing that would have to be found and removed by hand.
  const fail = (message: string): number => {
    for (const name of secrets.keys()) store.remove(name);
    return failure(verb, message, io);
  };
  const { entry, remarks, tried } = isUntested
    ? { ...source, tried: { ok: true as const, tools: [], withheld: [] } }
    : await trySourceOrEndpoint(source, options);
  // A source that is held for approval is added: the operator decides about it where it is listed.
  if (!tried.ok && !tried.isHeld) return fail(`${id} was not added: ${tried.problem}`);
  const problems = changeSources(file, (sources) => sources.set(id, entry));
  if (problems.length > 0) return fail(problems.join('; '));
  if (asJson) {
    const outcome = tried.ok ? { tools: tried.tools, withheld: tried.withheld } : { held: tried.problem };
    io.out(`${JSON.stringify({ id, file, entry, secrets: [...secrets.keys()], remarks, ...outcome }, null, 2)}\n`);
  } else showAdded({ ...source, remarks }, tried, io);
  return tried.ok ? 0 : 1;
}

/** Tries a source; a remote one that is given by its base URL is also tried at `/mcp`, where most servers answer. */
async function trySourceOrEndpoint(
  { id, entry, file, remarks }: NewSource,
  { io, progress }: AddOptions,
): Promise<Pick<NewSource, 'entry' | 'remarks'> & { readonly tried: Tried }> {
  const tried = await trySource(id, entry, { file, io, progress });
  const { url } = entry;
  // Only a URL without a path is retried; a path was written on purpose.
  const isBase = typeof url === 'string' && URL.canParse(url) && new URL(url).pathname === '/';
  if (tried.ok || tried.isHeld || !isBase) return { entry, remarks, tried };
  const endpoint = { ...entry, url: new URL('/mcp', url).href };
  const second = await trySource(id, endpoint, { file, io, progress });
  // If both fail, the message about the URL as given is the more useful one.
  if (!second.ok && !second.isHeld) return { entry, remarks, tried };
  return { entry: endpoint, remarks: [...remarks, `${url} is a base URL; the server answers at /mcp`], tried: second };
}

function showAdded({ id, file, shown, remarks, secrets, store }: NewSource, tried: Tried, io: Io): void {
  io.out(`added      ${id} (${escapeInvisible(shown)}) to ${file}\n`);
  for (const name of secrets.keys()) io.out(`secret     ${name} is stored in ${store.file}\n`);
  for (const remark of remarks) io.out(`note       ${escapeInvisible(remark)}\n`);
  if (!tried.ok) {
    io.out(
      `held       ${tried.problem}\n           toolgate sources list shows why; toolgate pins approve ${id} scan lets it start\n`,
    );
    return;
  }
  if (tried.tools.length > 0)
    io.out(
      `tools      ${tried.tools.slice(0, 12).join(', ')}${tried.tools.length > 12 ? ` and ${tried.tools.length - 12} more` : ''}\n`,
    );
  for (const line of tried.withheld.slice(0, 10)) io.out(`withheld   ${line}\n`);
}
