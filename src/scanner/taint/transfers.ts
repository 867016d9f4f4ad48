import {
  addressLike,
  carriers,
  cleaned,
  decoders,
  harmless,
  links,
  noText,
  pathLike,
  resolving,
  sameText,
  urlLike,
} from './transfer-names.js';
import { cutPath, held, isSeparator, ofPath } from './containment.js';
import {
  all,
  anyPath,
  danger,
  joinFacts,
  mergeTaints,
  taintsIn,
  unsafe,
  vouchFor,
  type Derived,
  type Fact,
  type Taint,
} from './facts.js';
import { vouchedByRemoval } from './charset.js';
import { quotedBy } from './quoting.js';
import { binaryFact, elementOf, listed } from './combine.js';
import { lastWord } from './names.js';
import { constant, list, type Value } from '../evaluate/values.js';
import { knownText } from './queries.js';
import type { SeenCall } from './sinks.js';

/** Asks for the key of what a method was called on. */
export const ofReceiver = -1;

/** Marks a text as a statement, or lays it out anew; it stays the text that it is. */
const sameStatement =
  /^(?:sqlalchemy\.(?:text|sql\.text|sql\.expression\.text)|psycopg2?\.sql\.SQL|drizzle-orm\.sql\.raw|textwrap\.dedent|inspect\.cleandoc)$/;
const joinsPath = /^pathlib\..*\.joinpath$/;

/** What a call of something outside gives back, as far as the caller's text is in it. */
export function transfer(call: SeenCall, keyOfArg: (at: number) => string | undefined): Fact {
  const { name, args, named, receiver } = call;
  const result: Fact = { taints: [], name: `${name.startsWith('?.') ? '' : name}()` };
  if (sameStatement.test(name) && args[0]) return { ...args[0], name: result.name };
  if (joinsPath.test(name) && receiver && taintsIn(receiver).length === 0 && args.length > 0)
    return { ...args.reduce((path, part) => binaryFact('/', path, part), receiver), ...keys(args, keyOfArg, ofPath) };
  if (harmless.has(name)) return derived(result, call, keyOfArg, name.includes('path') ? 0 : 0);
  const given = mergeTaints(...args.map((arg) => taintsIn(arg)), ...[...named.values()].map((arg) => taintsIn(arg)));
  const table = name === 'Object.keys' || name === 'Object.entries' ? args[0] : receiver;
  const pairs = tableWords.get(lastWord(name));
  const parts = table && pairs && listed(table, pairs);
  if (parts) return { ...result, ...parts };
  const known = table && tableItems(table, lastWord(name));
  if (known) return { ...result, value: known };
  const clean = cleaned.get(name);
  if (name === 'urllib.parse.quote' && call.textOf(named.get('safe')) === '')
    return { ...result, taints: vouchFor(given, danger.url | anyPath | danger.command) };
  // What comes out of a code was not there to be looked at before.
  if (decoders.has(name)) return { ...result, taints: given.map((taint) => ({ ...taint, safe: 0 })) };
  if (clean !== undefined && !addressLike.has(name)) return { ...result, taints: vouchFor(given, clean) };
  if (name === 're.sub' || name === 're.subn')
    return {
      ...result,
      taints: vouchFor(
        mergeTaints(args[1]?.taints ?? [], args[2]?.taints ?? []),
        vouchedByRemoval(call.textOf(args[0]) ?? args[0]?.name ?? '', ''),
      ),
    };
  if (handsThrough.test(name) && args[0]) return args[0];
  if (name === 'next' && args[0]?.fields) return args[1] ? joinFacts(elementOf(args[0]), args[1]) : elementOf(args[0]);
  if (/^(?:shlex\.split|shell-quote\.parse|string-argv|string-argv\.parseArgsStringToArgv)$/.test(name) && args[0])
    return cutWords(result, args[0]) ?? { ...result, taints: given };
  if (urlLike.has(name)) return { ...result, taints: given, ...keys(args, keyOfArg, danger.url) };
  if (addressLike.has(name))
    return { ...result, taints: vouchFor(given, clean ?? 0), ...keys(args, keyOfArg, danger.url) };
  if (
    name === 'path.relative' ||
    name === 'os.path.relpath' ||
    name === 'os.path.commonpath' ||
    name === 'os.path.commonprefix'
  )
    return {
      ...result,
      taints: given,
      ...keys([...args, ...args.flatMap((arg) => [...(arg.fields?.values() ?? [])])], keyOfArg, ofPath),
      isResolved: true,
      isReal: areReal(args),
    };
  if (resolving.has(name) || pathLike.has(name)) {
    const isSame = args.length === 1 && args[0]?.isResolved === true && args[0].taints.length > 0;
    // An absolute path begins with no dash.
    const joined = vouchFor(joinedPath(name, args), resolving.has(name) && !/norm/.test(name) ? danger.argument : 0);
    const spelled =
      joined.length === 0
        ? args
            .map(knownText)
            .filter((part) => part !== '')
            .join('/')
        : '';
    // A folder that is not the caller's stands before what they gave: that is where they should have stayed.
    const behind =
      args.length > 1 && args[0] !== undefined && taintsIn(args[0]).length === 0 && !isAnywhere(args[0])
        ? { lead: true as const }
        : args.length === 1
          ? { lead: args[0]?.lead, inFolder: args[0]?.inFolder }
          : {};
    return {
      ...result,
      taints: joined,
      tail: name.endsWith('dirname') ? undefined : args.at(-1)?.tail,
      ...behind,
      ...(spelled === '' ? {} : { value: { kind: 'text', parts: [spelled] } }),
      ...keys(args, keyOfArg, name === 'str' || name === 'String' ? all : ofPath),
      isResolved: resolving.has(name) || isSame,
      isReal: links.has(name) || (isSame && args[0]?.isReal === true),
      isClosed: args.length > 1 && args.at(-1)?.value?.kind === 'constant' && call.textOf(args.at(-1)) === '',
    };
  }
  const method = lastWord(name);
  // What a pattern finds in a text is a piece of that text.
  if (finders.test(method) && isPattern(receiver)) return { ...result, taints: pieces(given) };
  if (receiver && taintsIn(receiver).length > 0 && !name.startsWith('requests'))
    return ofTaintedReceiver(call, method, result, keyOfArg(ofReceiver));
  // A schema that is not known gives back what it was given.
  const parsed = /^(?:\?\.|zod\.|valibot\.).*\.(safeP|p)arse(?:Async)?$/.exec(name);
  if (parsed && args.length === 1) {
    const whole: Fact = { taints: given, fields: args[0]?.fields };
    return parsed[1] === 'p' ? { ...result, ...whole } : { taints: [], fields: new Map([['data', whole]]) };
  }
  if (carriers.test(name) || call.isNew || /^[A-Z]\w+$/.test(method))
    return {
      ...result,
      taints: given,
      ...(args.length === 1 && args[0]?.fields && !/json|JSON/.test(name) ? { fields: args[0].fields } : {}),
    };
  return result;
}

/** What is awaited or closed by somebody else is still itself. */
const handsThrough =
  /^(?:contextlib\.(?:closing|aclosing|nullcontext)|asyncio\.(?:wait_for|shield|ensure_future)|async_timeout\.\w+)$/;

const finders = /^(?:exec|match|fullmatch|search|findall|finditer|split)$/;
const isPattern = (receiver: Fact | undefined): boolean =>
  receiver?.name === 're.compile()' || (receiver?.name?.startsWith('/') === true && receiver.taints.length === 0);
const pieces = (taints: readonly Taint[]): readonly Taint[] => taints.map((taint) => ({ ...taint, whole: false }));

const tableWords = new Map<string, 'keys' | 'pairs'>([
  ['keys', 'keys'],
  ['entries', 'pairs'],
  ['items', 'pairs'],
]);

const maxTable = 60;

/** What going through a table of the server's own gives, where the run knows it. */
function tableItems({ value, fields, taints }: Fact, how: string): Value | undefined {
  if (value?.kind !== 'object' || value.cls || value.collection || fields || taints.length > 0) return undefined;
  if (value.props.size === 0 || value.props.size > maxTable) return undefined;
  if (how === 'values') return list([...value.props.values()], value.open);
  return how === 'items'
    ? list(
        [...value.props].map(([key, item]) => list([constant(key), item])),
        value.open,
      )
    : undefined;
}

/** Every path of the caller's among these had its links followed. */
const areReal = (args: readonly Fact[]): boolean =>
  args
    .flatMap((arg) => [arg, ...(arg.fields?.values() ?? [])])
    .every((arg) => arg.isReal === true || arg.taints.length === 0);

/** Where the user is: joined to a path it makes it absolute and holds it to nothing. */
export const isAnywhere = (fact: Fact): boolean =>
  /^(?:os\.homedir|process\.cwd|os\.getcwd|os\.path\.expanduser|pathlib\.Path\.(?:cwd|home))\(\)$/.test(
    fact.name ?? '',
  );

/** A folder that is not the caller's, or theirs and held to where it should be: what is joined to it starts nowhere else. */
const isFolder = (first: Fact | undefined): boolean =>
  first !== undefined && (first.isResolved === true || unsafe(first.taints, anyPath).length === 0);

/** Joining keeps what each part can do; behind a fixed front a JavaScript path can only climb, not start anew. */
function joinedPath(name: string, args: readonly Fact[]) {
  const lists = args.map((arg, at) => {
    const behind = at > 0 && (name === 'path.join' || name === 'path.posix.join') && isFolder(args[0]);
    return behind ? vouchFor(taintsIn(arg), danger.pathAbsolute) : taintsIn(arg);
  });
  const merged = mergeTaints(...lists);
  return args.length > 1 ? merged.map((taint) => ({ ...taint, whole: false })) : merged;
}

function keys(
  args: readonly Fact[],
  keyOfArg: (at: number) => string | undefined,
  kinds: number,
): { from?: readonly Derived[] } {
  const found: Derived[] = [];
  args.forEach((arg, at) => {
    if (taintsIn(arg).length === 0) return;
    const key = keyOfArg(at);
    if (key !== undefined) found.push({ key, kinds });
    for (const each of arg.from ?? [])
      if ((each.kinds & kinds) !== 0) found.push({ key: each.key, kinds: each.kinds & kinds });
  });
  return found.length > 0 ? { from: found } : {};
}

const derived = (result: Fact, call: SeenCall, keyOfArg: (at: number) => string | undefined, kinds: number): Fact => ({
  ...result,
  ...keys(call.args, keyOfArg, kinds),
});

/** What is listed in an archive was written by whoever made it. */
const listsArchive = /^(?:namelist|infolist|getnames|getmembers|getEntries)$/;

/** A line cut at its blanks: where the program stands in text that is not the caller's, only the words after it are theirs. */
function cutWords(result: Fact, line: Fact): Fact | undefined {
  const front =
    typeof line.lead === 'string'
      ? line.lead
      : line.lead === true && line.value?.kind === 'text'
        ? line.value.parts
            .slice(0, 2)
            .map((part) => (typeof part === 'string' ? part : '?'))
            .join('')
        : '';
  const [program, rest] = front.trimStart().split(/\s/, 2);
  if (program === undefined || rest === undefined) return undefined;
  return {
    ...result,
    taints: [],
    fields: new Map([
      ['0', { taints: [], value: { kind: 'constant', value: program } }],
      ['*', { taints: taintsIn(line).map((taint) => ({ ...taint, whole: false })) }],
    ]),
  };
}

/** A plain text as a pattern. */
const escaped = (text: string): string => (text.length === 1 ? `\\${text}` : '');

/** Pairs of dots are gone once each was taken out, and without a separator there is only one step to name. */
function withoutSteps(text: string | undefined, replacement: string | undefined): number {
  if (replacement === undefined) return 0;
  if (text === '..') return replacement.includes('.') ? 0 : danger.pathUp;
  return text === '/' && !/[/\\]/.test(replacement) ? anyPath : 0;
}

/** A method of tainted text gives tainted text, unless it only looks at it. */
function ofTaintedReceiver(call: SeenCall, method: string, result: Fact, key: string | undefined): Fact {
  const { receiver, args } = call;
  if (!receiver || noText.has(method)) return result;
  const taints = taintsIn(receiver);
  if (method === 'split' && (args.length === 0 || call.textOf(args[0]) === ' '))
    return cutWords(result, receiver) ?? { ...result, taints, from: receiver.from };
  if (/^r?split$/.test(method) && isSeparator(args[0], call.textOf(args[0]))) {
    // None of the parts is `..`: then the whole does not climb.
    const steps = [...(receiver.from ?? []).map((from) => from.key), ...(key === undefined ? [] : [key])];
    return { ...result, name: cutPath, taints, from: steps.map((each) => ({ key: each, kinds: danger.pathUp })) };
  }
  if (receiver.name === cutPath && /^(?:pop|shift|at)$/.test(method))
    return { ...result, taints: vouchFor(taints, anyPath), from: receiver.from };
  if (listsArchive.test(method))
    return { ...result, taints: taints.map((taint) => ({ ...taint, safe: 0, whole: false, inArchive: true })) };
  if (method === 'resolve' || method === 'absolute')
    return {
      ...result,
      name: 'pathlib.Path()',
      taints,
      // A check of where a path leads speaks for the path.
      from: [...(receiver.from ?? []), ...(key === undefined ? [] : [{ key, kinds: ofPath }])],
      lead: receiver.lead,
      inFolder: receiver.inFolder,
      tail: receiver.tail,
      isResolved: method === 'resolve',
      isReal: method === 'resolve',
    };
  if (method === 'joinpath' || method === 'with_name' || method === 'with_suffix' || method === 'expanduser')
    return {
      ...result,
      name: 'pathlib.Path()',
      taints: mergeTaints(taints, ...args.map((arg) => arg.taints)),
      from: receiver.from,
      lead: receiver.lead,
    };
  if (method === 'replace' || method === 'replaceAll') {
    const source = call.args[0]?.name?.startsWith('/') ? call.args[0].name : '';
    const cut = source.lastIndexOf('/');
    const isAll =
      source.slice(cut + 1).includes('g') || method === 'replaceAll' || (call.language === 'python' && source === '');
    // `normalize(x).replace(/^(\.\.\/)+/, '')`: what is normal climbs only at its front.
    const isCut = receiver.name === 'path.normalize()' && /^\^\(*(?:\?:)?\\\.\\\./.test(source.slice(1, cut));
    if (!isAll) return { ...result, taints: isCut ? vouchFor(taints, danger.pathUp) : taints, lead: receiver.lead };
    const safe =
      source === ''
        ? withoutSteps(call.textOf(args[0]), call.textOf(args[1]))
        : vouchedByRemoval(source.slice(1, cut), source.slice(cut + 1));
    const [pattern, replacement] = [
      source === '' ? escaped(call.textOf(args[0]) ?? '') : source.slice(1, cut),
      call.textOf(args[1]),
    ];
    return {
      ...result,
      taints: taints.map((taint) => ({
        ...taint,
        safe: taint.safe | safe | quotedBy(pattern, replacement, taint.safe),
      })),
      lead: receiver.lead,
    };
  }
  if (method === 'relative_to')
    return { ...result, name: 'pathlib.Path()', taints: vouchFor(taints, held(receiver)), from: receiver.from };
  return {
    ...result,
    name: /^(?:get|pop|copy)$/.test(method) ? undefined : result.name,
    taints,
    lead: sameText.has(method) ? receiver.lead : undefined,
    ...(sameText.has(method)
      ? { isResolved: receiver.isResolved, isReal: receiver.isReal, value: receiver.value }
      : {}),
    from: receiver.from,
  };
}
