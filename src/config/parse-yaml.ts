import { load } from 'js-yaml';

/** Parses a fragment of YAML or JSON that a person typed. */
export function parseYaml(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string } {
  try {
    return { ok: true, value: load(text) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'not valid YAML' };
  }
}
