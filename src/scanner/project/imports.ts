import type { Language } from '../ir/nodes.js';

const scriptImport = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`]([^'"`\n]{1,300})['"`]/g;
const pythonFrom = /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)#]{0,4000})|([^#;\n(]*))/gm;
const pythonImport = /^[ \t]*import[ \t]+([\w., \t]+)/gm;

/** Module names that a file imports, matched by regular expressions; over-approximates rather than misses an import. */
export function importsIn(language: Language, text: string): readonly string[] {
  const found =
    language === 'python' ? pythonSources(text) : [...text.matchAll(scriptImport)].map(([, source = '']) => source);
  return [...new Set(found)];
}

function pythonSources(text: string): readonly string[] {
  const names = (list: string): readonly string[] =>
    list.split(',').flatMap((name) => name.trim().split(/\s/)[0] || []);
  const whole = [...text.matchAll(pythonImport)].flatMap(([, said = '']) =>
    names(said).flatMap((name) => [name, name.split('.')[0] ?? '']),
  );
  const parts = [...text.matchAll(pythonFrom)].flatMap(([, from = '', listed, plain = '']) => [
    from,
    ...names(listed ?? plain).map((name) => `${from}${from.endsWith('.') ? '' : '.'}${name}`),
  ]);
  return [...whole, ...parts].filter((source) => /^\.*[\w.]+$|^\.+$/.test(source));
}

const pythonComputed = /\bimportlib\b|\b__import__\s*\(|\bpkgutil\b|\brunpy\b/;
const scriptComputed =
  /\b(?:import|require)\s*\(\s*(?!['"`]|\))|\breaddir(?:Sync)?\s*\(|\b(?:import|require)\s*\(\s*`[^`\n]*\$\{/;

/** Whether a file may import modules by names computed at run time. */
export const importsByComputedName = (language: Language, text: string): boolean =>
  (language === 'python' ? pythonComputed : scriptComputed).test(text);
