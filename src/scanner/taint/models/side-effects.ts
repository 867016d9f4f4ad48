import { locationOf, type Location } from '../../ir/positions.js';
import { allSafe, mergeTaints, taintsIn, type Fact, type Taint } from '../facts/facts.js';
import { contentName, contentPath } from '../facts/param-names.js';
import { memoizeByName } from '../facts/qualified-names.js';
import { knownText } from './query-sinks.js';
import type { CallSite } from './sinks.js';
import { traceSteps } from '../facts/traces.js';

/** Effects that need no tainted input: exfiltration, hidden code, file writes, changed tool descriptions (rug pull). */
export interface SideEffects {
  readonly leaks: Leak[];
  readonly hidden: { readonly at: Location; readonly how: 'decoded' | 'fetched' }[];
  readonly written: { readonly at: Location; readonly path: string }[];
  readonly renamed: Location[];
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

export const newSideEffects = (): SideEffects => ({ leaks: [], hidden: [], written: [], renamed: [] });

const readFunctions =
  /^(?:open\(\)\.(?:read|readlines|readline)|io\.open\(\)\.read|pathlib\..*\.(?:read_text|read_bytes)|fs(?:\.promises)?\.(?:readFile|readFileSync)|aiofiles\.open\(\)\.read|json\.load)$/;

const isReader = memoizeByName((name) => readFunctions.test(name));

/** Pseudo taint for the content of a file the code reads, to track exfiltration; safe at all taint sinks. */
export function fileContentFact(call: CallSite): Fact | undefined {
  if (!isReader(call.name)) return undefined;
  const holder = call.name.startsWith('fs') || call.name === 'json.load' ? call.args[0] : call.receiver;
  const path = holder ? (typeof holder.lead === 'string' ? holder.lead : knownText(holder)) : '';
  const taint: Taint = {
    origin: { param: contentName(path), at: call.at },
    trace: undefined,
    safe: allSafe,
    isChecked: false,
    whole: false,
  };
  return { taints: [taint], name: `${call.name}()` };
}

const sendFunctions =
  /^(?:requests\.(?:post|put|patch|request)|requests\.[sS]ession\(\)\.(?:post|put|request)|httpx\.(?:post|put|request|(?:Async)?Client\(\)\.(?:post|put|request))|aiohttp\.ClientSession\(\)\.(?:post|put|request)|urllib\.request\.urlopen|urllib\.request\.Request|fetch|axios(?:\.(?:post|put|request))?|got(?:\.post)?|https?\.request|undici\.(?:request|fetch)|needle\.post|superagent\.post|smtplib\..*\.sendmail|socket\.socket\(\)\.send(?:all)?|https?\.request\(\)\.(?:write|end)|.*\.sendto)$/;
const evaluateFunctions = /^(?:exec|eval|compile|Function|vm\.runIn\w+|vm\.Script|marshal\.loads)$/;
const decodedCode =
  /b64decode|b32decode|a85decode|fromhex|unhexlify|atob|Buffer\.from|zlib\.(?:decompress|inflate)|codecs\.decode|marshal\.loads|gunzipSync|inflateSync/;
const fetchedCode =
  /requests\.get\(\)|urlopen\(\)|httpx\.(?:get\(\)|(?:Async)?Client\(\)\.get\(\))|^fetch\(\)|axios(?:\.get)?\(\)|got\(\)/;
const writeFunctions =
  /^(?:open|io\.open|fs(?:\.promises)?\.(?:writeFile|writeFileSync|appendFile|appendFileSync)|pathlib\..*\.(?:write_text|write_bytes))$/;

const updateFunctions = /(?:registerTool|tool|registerPrompt)\(\)\.update$/;
/** Whether a call of this name has side effects that are recorded. */
export const hasSideEffects = memoizeByName((name) =>
  [sendFunctions, evaluateFunctions, writeFunctions, updateFunctions].some((each) => each.test(name)),
);

/** Records the side effects of one call. */
export function recordSideEffects(behaviour: SideEffects, call: CallSite): void {
  if (!hasSideEffects(call.name)) return;
  const at = () => locationOf(call.at.module, call.at.spot);
  if (sendFunctions.test(call.name)) recordSend(behaviour, call, at());
  if (evaluateFunctions.test(call.name)) {
    const [code] = call.args;
    const name = code?.name ?? '';
    if (decodedCode.test(name)) behaviour.hidden.push({ at: at(), how: 'decoded' });
    else if (fetchedCode.test(name)) behaviour.hidden.push({ at: at(), how: 'fetched' });
  }
  if (writeFunctions.test(call.name)) {
    const target = call.name.startsWith('pathlib') ? call.receiver : call.args[0];
    const mode = call.name.endsWith('open') ? (call.textOf(call.args[1] ?? call.named.get('mode')) ?? 'r') : 'w';
    const path = target && taintsIn(target).length === 0 ? knownText(target) : '';
    if (path !== '' && /[wax+]/.test(mode)) behaviour.written.push({ at: at(), path });
  }
  if (updateFunctions.test(call.name) && call.args[0]?.fields?.has('description')) behaviour.renamed.push(at());
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
    if (what === undefined) continue;
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
    behaviour.leaks.push({ at, what: 'whole environment', to, steps: [] });
}
