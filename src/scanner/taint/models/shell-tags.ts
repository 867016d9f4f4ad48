import type { Fact } from '../facts/facts.js';
import { isModelled } from './models.js';
import type { Hit } from './sinks.js';

const shellCommand = /(?:^|\s)(?:ba|z|da|k)?sh\s+-\w*c\s*$/;

/**
 * Command injection through template tags of zx, execa and Bun. They quote each value, so that only two forms are sinks: a
 * value that another shell parses (`sh -c ${line}`), and a tag with `shell: true`, which quotes nothing.
 */
export function taggedSink(name: string, tag: string, parts: readonly (string | Fact)[], whole: Fact): Hit | undefined {
  if (!isModelled('shell-tag', name.replace(/(?:\(\))+$/, ''))) return undefined;
  const what = name.replaceAll('()', '');
  if (/\bshell\s*:\s*true\b/.test(tag) && name.startsWith('execa'))
    return { rule: 'command', facts: [whole], what: `${what} with a shell` };
  const facts = parts.filter((part, at): part is Fact => {
    const before = parts[at - 1];
    return typeof part !== 'string' && typeof before === 'string' && shellCommand.test(before);
  });
  return facts.length > 0 ? { rule: 'command', facts, what: `${what} of a shell` } : undefined;
}
