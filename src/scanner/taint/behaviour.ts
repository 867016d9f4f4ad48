import { locationOf, type Location } from '../ir/positions.js';
import { all, mergeTaints, taintsIn, type Fact, type Taint } from './facts.js';
import { contentName, contentPath } from './param-names.js';
import { byName } from './names.js';
import { knownText } from './queries.js';
import type { SeenCall } from './sinks.js';
import { stepsOf } from './traces.js';

/** What code was seen to do on its own account, whatever the caller gave. */
export interface Behaviour {
  readonly leaks: Leak[];
  readonly hidden: { readonly at: Location; readonly how: 'decoded' | 'fetched' }[];
  readonly written: { readonly at: Location; readonly path: string }[];
  readonly renamed: Location[];
}
export interface Leak {
  readonly at: Location;
  /** The file that was read, as far as its path is known. */
  readonly what: string;
  /** Where it goes, as far as that is known. */
  readonly to: string;
  readonly steps: readonly { readonly at: Location; readonly says: string }[];
}

export const noBehaviour = (): Behaviour => ({ leaks: [], hidden: [], written: [], renamed: [] });

const readers =
  /^(?:open\(\)\.(?:read|readlines|readline)|io\.open\(\)\.read|pathlib\..*\.(?:read_text|read_bytes)|fs(?:\.promises)?\.(?:readFile|readFileSync)|aiofiles\.open\(\)\.read|json\.load)$/;

const isReader = byName((name) => readers.test(name));

/** The content of a file that the code reads itself, so that it can be followed to where it is sent. */
export function contentRead(call: SeenCall): Fact | undefined {
  if (!isReader(call.name)) return undefined;
  const holder = call.name.startsWith('fs') || call.name === 'json.load' ? call.args[0] : call.receiver;
  const path = holder ? (typeof holder.lead === 'string' ? holder.lead : knownText(holder)) : '';
  const taint: Taint = {
    origin: { param: contentName(path), at: call.at },
    trace: undefined,
    safe: all,
    judged: false,
    whole: false,
  };
  return { taints: [taint], name: `${call.name}()` };
}

const senders =
  /^(?:requests\.(?:post|put|patch|request)|requests\.[sS]ession\(\)\.(?:post|put|request)|httpx\.(?:post|put|request|(?:Async)?Client\(\)\.(?:post|put|request))|aiohttp\.ClientSession\(\)\.(?:post|put|request)|urllib\.request\.urlopen|urllib\.request\.Request|fetch|axios(?:\.(?:post|put|request))?|got(?:\.post)?|https?\.request|undici\.(?:request|fetch)|needle\.post|superagent\.post|smtplib\..*\.sendmail|socket\.socket\(\)\.send(?:all)?|https?\.request\(\)\.(?:write|end)|.*\.sendto)$/;
const evaluators = /^(?:exec|eval|compile|Function|vm\.runIn\w+|vm\.Script|marshal\.loads)$/;
const decoders =
  /b64decode|b32decode|a85decode|fromhex|unhexlify|atob|Buffer\.from|zlib\.(?:decompress|inflate)|codecs\.decode|marshal\.loads|gunzipSync|inflateSync/;
const fetched =
  /requests\.get\(\)|urlopen\(\)|httpx\.(?:get\(\)|(?:Async)?Client\(\)\.get\(\))|^fetch\(\)|axios(?:\.get)?\(\)|got\(\)/;
const writers =
  /^(?:open|io\.open|fs(?:\.promises)?\.(?:writeFile|writeFileSync|appendFile|appendFileSync)|pathlib\..*\.(?:write_text|write_bytes))$/;

const renamers = /(?:registerTool|tool|registerPrompt)\(\)\.update$/;
/** Whether a call of this name is looked at for what it does on its own account. */
export const isNoted = byName((name) => [senders, evaluators, writers, renamers].some((each) => each.test(name)));

/** Notes what one call does on its own account. */
export function observe(behaviour: Behaviour, call: SeenCall): void {
  if (!isNoted(call.name)) return;
  const at = () => locationOf(call.at.module, call.at.spot);
  if (senders.test(call.name)) seeSend(behaviour, call, at());
  if (evaluators.test(call.name)) {
    const [code] = call.args;
    const name = code?.name ?? '';
    if (decoders.test(name)) behaviour.hidden.push({ at: at(), how: 'decoded' });
    else if (fetched.test(name)) behaviour.hidden.push({ at: at(), how: 'fetched' });
  }
  if (writers.test(call.name)) {
    const target = call.name.startsWith('pathlib') ? call.receiver : call.args[0];
    const mode = call.name.endsWith('open') ? (call.textOf(call.args[1] ?? call.named.get('mode')) ?? 'r') : 'w';
    const path = target && taintsIn(target).length === 0 ? knownText(target) : '';
    if (path !== '' && /[wax+]/.test(mode)) behaviour.written.push({ at: at(), path });
  }
  if (renamers.test(call.name) && call.args[0]?.fields?.has('description')) behaviour.renamed.push(at());
}

function seeSend(behaviour: Behaviour, call: SeenCall, at: Location): void {
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
        ...stepsOf(taint.trace).map((step) => ({ at: locationOf(step.at.module, step.at.spot), says: step.says })),
        { at, says: `it is sent by ${call.name}` },
      ],
    });
  }
  const text = call.at.module.text.slice(call.at.spot.start, call.at.spot.end);
  if (/\bprocess\.env\b(?!\s*[?.[]+\w|\s*\[)|\bos\.environ\b(?!\.get|\s*\[|\.pop)/.test(text))
    behaviour.leaks.push({ at, what: 'whole environment', to, steps: [] });
}
