import { locationOf, type Location } from '../../ir/positions.js';
import { allSafe, mergeTaints, taintsIn, type Fact, type Taint } from '../facts/facts.js';
import { contentName, contentPath } from '../facts/param-names.js';
import { memoizeByName } from '../facts/qualified-names.js';
import { traceSteps } from '../facts/traces.js';
import { destroyedBy, isRootFolder, rootListing, type Destruction } from './destruction.js';
import { effectOf, hasEffect } from './effects.js';
import { isModelled } from './models.js';
import { knownText } from './query-sinks.js';
import type { CallSite } from './sinks.js';

/** Effects that need no tainted input: exfiltration, hidden code, file writes, removals, changed tool descriptions (rug pull). */
export interface SideEffects {
  readonly leaks: Leak[];
  readonly hidden: { readonly at: Location; readonly how: 'decoded' | 'fetched' }[];
  readonly written: { readonly at: Location; readonly path: string }[];
  readonly destroyed: Destruction[];
  readonly renamed: Location[];
  /** Files that hold downloaded text: starting one runs code of another host. */
  readonly downloads: Set<string>;
}
/** File content or environment sent over the network. */
interface Leak {
  readonly at: Location;
  /** Path of the file read, as far as known. */
  readonly what: string;
  /** Destination, as far as known. */
  readonly to: string;
  readonly steps: readonly { readonly at: Location; readonly says: string }[];
}

export const newSideEffects = (): SideEffects => ({
  leaks: [],
  hidden: [],
  written: [],
  destroyed: [],
  renamed: [],
  downloads: new Set(),
});

/** Name of the pseudo taint for all environment variables at once. */
const wholeEnvironment = 'whole environment';
const environments = /^(?:process\.env|os\.environ)$/;

/** Pseudo taint for what a call reads: the content of a file, the whole environment, the names below a root folder. Safe at all taint sinks. */
export function fileContentFact(call: CallSite): Fact | undefined {
  const what = contentRead(call);
  if (what === undefined) return undefined;
  const taint: Taint = {
    origin: { param: contentName(what), at: call.at },
    trace: undefined,
    safe: allSafe,
    isChecked: false,
    whole: false,
  };
  return { taints: [taint], name: `${call.name}()` };
}

function contentRead(call: CallSite): string | undefined {
  const [first] = call.args;
  if (isModelled('serialiser', call.name) && [first, call.receiver].some((fact) => environments.test(fact?.name ?? '')))
    return wholeEnvironment;
  const effect = effectOf(call.name);
  if (effect === 'list') return rootListing(call);
  if (effect !== 'read') return undefined;
  const holder = call.name.startsWith('fs') || call.name === 'json.load' ? first : call.receiver;
  return holder ? (typeof holder.lead === 'string' ? holder.lead : knownText(holder)) : '';
}

const decodedCode =
  /b64decode|b32decode|a85decode|fromhex|unhexlify|atob|Buffer\.from|zlib\.(?:decompress|inflate)|codecs\.decode|marshal\.loads|gunzipSync|inflateSync/;
const fetchedCode =
  /requests\.get\(\)|urlopen\(\)|httpx\.(?:get\(\)|(?:Async)?Client\(\)\.get\(\))|^fetch\(\)|axios(?:\.get)?\(\)|got(?:\.get)?\(\)|aiohttp\..*\.get\(\)/;

/** Whether a call of this name has side effects that are recorded. */
export const hasSideEffects = memoizeByName(hasEffect);

/** Records the side effects of one call. */
export function recordSideEffects(behaviour: SideEffects, call: CallSite): void {
  if (!hasSideEffects(call.name)) return;
  const at = locationOf(call.at.module, call.at.spot);
  const destroyed = destroyedBy(call, at);
  if (destroyed) behaviour.destroyed.push(destroyed);
  switch (effectOf(call.name)) {
    case 'send':
      recordSend(behaviour, call, at);
      break;
    case 'evaluate':
      recordEvaluation(behaviour, call, at);
      break;
    case 'write':
      recordWrite(behaviour, call, at);
      break;
    case 'start':
      if (startsDownload(behaviour, call)) behaviour.hidden.push({ at, how: 'fetched' });
      break;
    case 'rename':
      if (call.args[0]?.fields?.has('description')) behaviour.renamed.push(at);
      break;
    default:
  }
}

function recordEvaluation(behaviour: SideEffects, call: CallSite, at: Location): void {
  const names = call.args.map(({ name }) => name ?? '');
  if (names.some((name) => decodedCode.test(name))) behaviour.hidden.push({ at, how: 'decoded' });
  else if (names.some((name) => fetchedCode.test(name))) behaviour.hidden.push({ at, how: 'fetched' });
}

function recordWrite(behaviour: SideEffects, call: CallSite, at: Location): void {
  const target = call.name.startsWith('pathlib') ? call.receiver : call.args[0];
  const mode = call.name.endsWith('open') ? (call.textOf(call.args[1] ?? call.named.get('mode')) ?? 'r') : 'w';
  const path = target && taintsIn(target).length === 0 ? knownText(target) : '';
  if (path === '' || !/[wax+]/.test(mode)) return;
  behaviour.written.push({ at, path });
  const content = call.name.startsWith('pathlib') ? call.args[0] : call.args[1];
  if (fetchedCode.test(content?.name ?? '')) behaviour.downloads.add(path);
}

/** Whether a program or module is started from a file that was downloaded before. */
function startsDownload({ downloads }: SideEffects, call: CallSite): boolean {
  if (downloads.size === 0) return false;
  const words = call.args.flatMap((arg) => [arg, ...(arg.fields?.values() ?? [])]).map(knownText);
  return [...downloads].some((path) => words.some((word) => word.includes(path)));
}

function recordSend(behaviour: SideEffects, call: CallSite, at: Location): void {
  const parts = [...call.args, ...call.named.values()];
  const [first] = call.args;
  const to = [
    first,
    first?.fields?.get('0'),
    first?.fields?.get('url'),
    call.named.get('url'),
    call.name.includes('.request') ? call.args[1] : undefined,
  ]
    .map((fact) => (fact ? `${fact.name ?? ''} ${knownText(fact)}` : ''))
    .join(' ');
  for (const taint of mergeTaints(...parts.map((fact) => taintsIn(fact)))) {
    const what = contentPath(taint.origin.param);
    if (what === undefined || isRootFolder(what)) continue;
    behaviour.leaks.push({
      at,
      what,
      to,
      steps: [
        { at: locationOf(taint.origin.at.module, taint.origin.at.spot), says: 'a file is read' },
        ...traceSteps(taint.trace).map((step) => ({ at: locationOf(step.at.module, step.at.spot), says: step.says })),
        { at, says: `it is sent by ${call.name}` },
      ],
    });
  }
  const text = call.at.module.text.slice(call.at.spot.start, call.at.spot.end);
  if (/\bprocess\.env\b(?!\s*[?.[]+\w|\s*\[)|\bos\.environ\b(?!\.get|\s*\[|\.pop)/.test(text))
    behaviour.leaks.push({ at, what: wholeEnvironment, to, steps: [] });
}
