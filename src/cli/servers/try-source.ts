import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { problemLine } from '../../config/problem.js';
import type { Config } from '../../config/schema.js';
import { yamlFile } from '../../config/yaml-file.js';
import type { JsonObject } from '../../core/json.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { log as makeLog, type Log } from '../../observe/log/log.js';
import { startGate } from '../../serve/gate.js';
import { homeOf } from '../../serve/home.js';
import type { Io } from '../io.js';
import { progressLines, type ProgressLines } from '../progress-lines.js';

/** Sections of the file that a source depends on; rules and profiles name tools of other sources. */
const kept = ['security', 'outbound', 'mcp_registry', 'secrets', 'state', 'audit', 'tool', 'output'];
/** Longest time of a start, in seconds. */
const noBudget = 2_000_000;

/** The configuration with sources that may take as long as they need: a person watches them. */
export const withoutBudgets = (config: Config): Config => ({
  ...config,
  sources: Object.fromEntries(
    Object.entries(config.sources).map(([id, entry]) => [
      id,
      'startup_budget' in entry ? { ...entry, startup_budget: noBudget } : entry,
    ]),
  ),
});

/** Result of a trial; `isHeld` if only an approval is missing. */
export type Tried =
  | { readonly ok: true; readonly tools: readonly string[]; readonly withheld: readonly string[] }
  | { readonly ok: false; readonly problem: string; readonly isHeld: boolean };

/** Installs, scans, starts and lists one source with the settings of the configuration file, and shows each phase. */
export async function trySource(
  id: string,
  entry: JsonObject,
  {
    file,
    io,
    progress = progressLines(io),
  }: { readonly file: string; readonly io: Io; readonly progress?: ProgressLines },
): Promise<Tried> {
  const loaded = await loadConfig({
    env: io.env,
    object: {
      ...keptSections(file),
      // Built-in commands would be started for nothing.
      commands: { builtins: false },
      sources: { [id]: entry },
    },
  });
  if (!loaded.ok) return { ok: false, isHeld: false, problem: loaded.problems.map(problemLine).join('; ') };
  const home = homeOf(io.env, loaded.config.state.directory);
  // Phases are shown by this verb; log lines between them would be noise.
  const quiet = makeLog({ level: 'fatal', format: 'text' });
  // The log gets every event in order and from the first one on.
  const log: Log = {
    ...quiet,
    event(name, fields) {
      if (name === 'source.phase') progress.begin(String(fields?.['phase']), String(fields?.['what'] ?? ''));
    },
  };
  const patient = withoutBudgets(loaded.config);
  const gate = await startGate({
    // Relative paths refer to the file that will hold the entry.
    loaded: { ...loaded, config: patient, base: dirname(file) },
    home,
    log,
    env: io.env,
  });
  const stop = (): void => void gate.close(0);
  // Ctrl-C during an installation must end its processes, too.
  io.signal.addEventListener('abort', stop, { once: true });
  try {
    await gate.ready;
    const health = gate.registry.health()[id];
    const tools = [...gate.registry.catalogue().tools.values()].filter(({ source }) => source === id);
    const own = gate.registry.withheld().filter(({ source }) => source === id);
    const withheld = own.map(({ what, why }) => `${escapeInvisible(what)}: ${escapeInvisible(why)}`);
    if (tools.length === 0 && health?.status === 'unhealthy') {
      const decision = gate.admission(id)?.decision;
      progress.end('failed');
      return {
        ok: false,
        isHeld: decision === 'quarantine',
        // The health detail is shortened; the withheld source has the whole reason.
        problem: escapeInvisible(
          (decision === 'quarantine' ? own.find(({ what }) => what === id)?.why : undefined) ??
            health.detail ??
            'it offers no tools',
          // Advice about the next attempt makes no sense here: there is none.
        ).replace(/; next attempt in .*$/, ''),
      };
    }
    progress.end(`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`);
    return { ok: true, tools: tools.map(({ name }) => name), withheld };
  } finally {
    io.signal.removeEventListener('abort', stop);
    await gate.close(1_000);
  }
}

/** Sections of the file that a trial needs; a file that does not exist yet has none. */
function keptSections(file: string): JsonObject {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  const read = yamlFile(text, file);
  if (!read.ok || typeof read.file.value !== 'object' || read.file.value === null) return {};
  const value = read.file.value as JsonObject; // the schema checks its content below
  return Object.fromEntries(kept.flatMap((key) => (Object.hasOwn(value, key) ? [[key, value[key] ?? {}]] : [])));
}
