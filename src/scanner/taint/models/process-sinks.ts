import type { Fact } from '../facts/facts.js';
import { gitSink, isGitMethod, optionAmong, optionSink } from './option-sinks.js';
import { modelOf } from './models.js';
import type { Model } from './model-index.js';
import { optionField, type Hit, type CallSite } from './sinks.js';

const shells = /(?:^|[/\\])(?:ba|z|da|k|c|tc|fi)?sh(?:\.exe)?$|(?:^|[/\\])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
const interpreters = /(?:^|[/\\])(?:python[\d.]*|node|deno|bun|perl|ruby|php|osascript|tsx|ts-node)(?:\.exe)?$/i;
const runsText = /^(?:-[a-z]*c|\/c|-Command|-EncodedCommand|-e|--eval|-p|--print|-r|eval)$/i;

/** Command injection sinks: a shell command line, a program name, or code passed to an interpreter. */
export function processSink(call: CallSite): readonly Hit[] {
  const { name, args, named } = call;
  if (isGitMethod(name)) return gitSink(call);
  const what = name;
  const line = modelOf('command-line', name);
  if (line) {
    const given = firstGiven(call, line);
    return given ? [{ rule: 'command', facts: [given], what }] : [];
  }
  const list = modelOf('argument-list', name);
  if (list) {
    const first = firstGiven(call, list);
    if (!first) return [];
    // With a shell the whole line is parsed, so every part of it is a sink.
    if (isTrue(call, named.get('shell'))) return [{ rule: 'command', facts: [first], what: `${name} with a shell` }];
    const parts = orderedItems(first);
    // A single string without a list is the program name.
    const found = first.fields
      ? argumentListSinks(call, parts)
      : [{ rule: 'command' as const, facts: [first], what, isProgram: true }];
    return [...found, ...stdinSinks(call, parts)];
  }
  if (modelOf('argument-words', name))
    return argumentListSinks(
      call,
      [...args, ...(named.has('program') ? [named.get('program') ?? args[0]] : [])].filter(
        (fact) => fact !== undefined,
      ),
    );
  // The `sh` library uses the function name as the program: `sh.bash('-c', line)`.
  if (name.startsWith('sh.') && call.language === 'python' && /^sh\.\w+$/.test(name))
    return argumentListSinks(call, [{ taints: [], value: { kind: 'constant', value: name.slice(3) } }, ...args]);
  const container = modelOf('container-command', name);
  const inside = container && firstGiven(call, container);
  if (inside) return containerSinks(call, inside);
  const start = modelOf('program-and-list', name);
  return start ? programSinks(call, start) : [];
}

/** A program with a list of its arguments: the first column names the program, the next the list. */
function programSinks(call: CallSite, { positions, names }: Model): readonly Hit[] {
  const [program, listed] = [...positions.map((at) => call.args[at]), ...names.map((key) => optionField(call, key))];
  if (!program) return [];
  const given = listed ? orderedItems(listed) : [];
  if (isTrue(call, optionField(call, 'shell')))
    return [{ rule: 'command', facts: [program, ...given], what: `${call.name} with a shell` }];
  return argumentListSinks(call, program.fields ? [...orderedItems(program), ...given] : [program, ...given]);
}

/** The first of the arguments of a row that is given: by position or by name, options count as names in JavaScript. */
function firstGiven(call: CallSite, { order }: Model): Fact | undefined {
  for (const each of order) {
    const fact =
      typeof each === 'number'
        ? call.args[each]
        : (call.named.get(each) ?? (call.language === 'python' ? undefined : optionField(call, each)));
    if (fact) return fact;
  }
  return undefined;
}

/** An argument list is a sink where a shell of the container parses it; a single text is split into words, not parsed. */
function containerSinks(call: CallSite, command: Fact): readonly Hit[] {
  const what = call.name.replace(/^\?\./, '');
  if (command.fields) return argumentListSinks({ ...call, name: what }, orderedItems(command));
  const isShell = typeof command.lead === 'string' && /(?:ba|z|da)?sh\s+-\w*c\s/.test(command.lead);
  return [{ rule: 'command', facts: [command], what, ...(isShell ? {} : { isProgram: true }) }];
}

/** A shell or interpreter started without a script executes its standard input. */
function stdinSinks(call: CallSite, parts: readonly Fact[]): readonly Hit[] {
  const input = call.named.get('input');
  const words = parts.map((part) => call.textOf(part) ?? '');
  const [program = ''] = words;
  if (!input || words.some((word) => runsText.test(word))) return [];
  if (shells.test(program)) return [{ rule: 'command', facts: [input], what: `${call.name} of ${program}` }];
  return interpreters.test(program) && words.length === 1
    ? [{ rule: 'code', facts: [input], what: `${call.name} of ${program}` }]
    : [];
}

const isTrue = (call: CallSite, fact: Fact | undefined): boolean => {
  if (!fact) return false;
  const { value } = fact;
  // An unknown value counts as false: most calls spell the option out.
  return value?.kind === 'constant'
    ? value.value === true || (typeof value.value === 'string' && value.value !== '')
    : value === undefined && call.textOf(fact) !== undefined;
};

/** Items of a list in order; items of unknown position come last. */
function orderedItems(fact: Fact): readonly Fact[] {
  if (!fact.fields) return [fact];
  const keys = [...fact.fields.keys()].filter((key) => /^\d+$/.test(key)).sort((a, b) => Number(a) - Number(b));
  return [...keys, '*'].flatMap((key) => fact.fields?.get(key) ?? []);
}

/** Argument list without a shell: dangerous only in the program position, as code of a shell or interpreter, or as an option. */
function argumentListSinks(call: CallSite, parts: readonly Fact[]): readonly Hit[] {
  const [program, ...rest] = parts;
  if (!program) return [];
  const words = parts.map(
    (part) =>
      // The running interpreter is an interpreter under any name.
      call.textOf(part) ??
      (part.name === 'sys.executable' || part.name === 'process.execPath' ? 'python' : optionAmong(part)),
  );
  const found: Hit[] = [
    { rule: 'command', facts: [program], what: call.name, isProgram: true },
    ...optionSink(parts, words),
  ];
  words.forEach((word, at) => {
    const isShell = shells.test(word);
    if (!isShell && !interpreters.test(word)) return;
    const rule = isShell ? 'command' : 'code';
    const text = words.flatMap((other, index) =>
      index > at && runsText.test(other) ? executedParts(word, parts, index) : [],
    );
    if (text.length > 0) found.push({ rule, facts: text, what: `${call.name} of ${word}` });
    // The script file was written with tainted content earlier.
    const written = rest.flatMap((part) => (part.content ? [{ taints: part.content }] : []));
    if (written.length > 0)
      found.push({
        rule: isShell ? 'command' : 'code',
        facts: written,
        what: `${call.name} of a script written with caller data`,
      });
  });
  return found;
}

/** Windows shells execute all following words as one line; others execute the word after the flag and take the rest as arguments. */
const executedParts = (program: string, parts: readonly Fact[], flag: number): readonly Fact[] =>
  /cmd|powershell|pwsh/i.test(program) ? parts.slice(flag + 1) : parts.slice(flag + 1, flag + 2);
