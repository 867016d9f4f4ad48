import { readFileSync } from 'node:fs';
import type { ValueCheck } from '../definition.js';

/** Usual locations of nmap's script database. */
const databases = ['/usr/share/nmap/scripts/script.db', '/usr/local/share/nmap/scripts/script.db'];
/** One line of the database, which is written in Lua. */
const entryPattern = /^Entry \{ filename = "([a-z0-9-]+)\.nse", categories = \{ ([a-z", -]*)\} \}$/gm;
/** The database of nmap 7.9 has about 60 KB. */
const maxDatabaseBytes = 1_048_576;

/** Categories that require `security.allow_intrusive`: exploits, floods, brute force, or requests to third parties. */
export const intrusiveCategories = [
  'brute',
  'dos',
  'exploit',
  'external',
  'fuzzer',
  'intrusive',
  'malware',
  'vuln',
] as const;

/** Installed scripts, and the safe ones among them. */
interface ScriptCatalogue {
  readonly known: ReadonlySet<string>;
  readonly safe: ReadonlySet<string>;
}

/** Parses a script database; a script is safe by its categories, not by a list of names. */
export function parseScriptDatabase(text: string): ScriptCatalogue {
  const known = new Set<string>();
  const safe = new Set<string>();
  for (const [, name = '', list = ''] of text.matchAll(entryPattern)) {
    const categories = [...list.matchAll(/"([a-z-]+)"/g)].map((match) => match[1] ?? '');
    known.add(name);
    if (categories.includes('safe') && !intrusiveCategories.some((category) => categories.includes(category)))
      safe.add(name);
  }
  return { known, safe };
}

/** Checks script names against the installed scripts; the catalogue is cached until `clear`. */
export function scriptCheck(
  onBlocked: (script: string) => void,
  files: readonly string[] = databases,
): { readonly check: ValueCheck; clear(): void } {
  let catalogue: ScriptCatalogue | undefined;
  // Fails closed: without a database no script is known, and none runs.
  const check: ValueCheck = (value, { intrusive }) => {
    const { known, safe } = (catalogue ??= loadCatalogue(files));
    for (const script of Array.isArray(value) ? (value as readonly unknown[]).map(String) : [String(value)]) {
      if (!known.has(script))
        return {
          stage: 'semantics',
          message: `${script} is not an installed script`,
          expected: 'names of installed scripts',
          example: 'http-title',
        };
      if (safe.has(script) || intrusive) continue;
      onBlocked(script);
      return {
        stage: 'permission',
        message: `the script ${script} is intrusive, and security.allow_intrusive (MCP_SECURITY_ALLOW_INTRUSIVE) is off`,
      };
    }
    return undefined;
  };
  return { check, clear: () => void (catalogue = undefined) };
}

// Read synchronously, once: contracts must not wait, since they run before the call is authorized.
function loadCatalogue(files: readonly string[]): ScriptCatalogue {
  for (const file of files) {
    const text = readIfPresent(file);
    if (text !== undefined && text.length <= maxDatabaseBytes) return parseScriptDatabase(text);
  }
  return { known: new Set(), safe: new Set() };
}

/** Text of a file that may not exist. */
function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
