import type { Location } from '../../ir/positions.js';
import { taintsIn, type Fact } from '../facts/facts.js';
import { contentPath } from '../facts/param-names.js';
import { effectOf } from './effects.js';
import { knownText } from './query-sinks.js';
import type { CallSite } from './sinks.js';

/** Data that is removed without being named by the caller: a home or system folder, every table of a database. */
export interface Destruction {
  readonly at: Location;
  readonly what: string;
}

const listed = 'everything below ';
const rootPath = /^(?:\/|~|~\/|[A-Za-z]:[\\/]*|\/home|\/Users|\/etc|\/usr|\/var|\$HOME|%USERPROFILE%)(?:\/?\*{0,2})$/;
const homeCall = /(?:^|\.)(?:homedir|home)\(\)$/;
const expandsHome = /(?:expanduser|resolve|join)\(\)$/;
const removesRoot =
  /\brm\s+(?:-{1,2}[\w-]+\s+)*-\w*[rRf]\w*\s+(?:-{1,2}[\w-]+\s+)*(?:"?\/\*?"?|~\/?\*?|"?\$\{?HOME\}?"?\/?\*?|\/(?:home|etc|usr|var|Users))(?=\s|;|&|$)|\bmkfs(?:\.\w+)?\s|\bdd\s[^\n]*of=\/dev\/[a-z]|\bdel\s+\/[sq]\s[^\n]*c:\\|\bformat\s+c:|:\(\)\s*\{\s*:\|:&\s*\};:/i;
const dropsUnnamed =
  /^\s*(?:drop\s+(?:table|database|schema|view)\s+(?:if\s+exists\s+)?|truncate\s+(?:table\s+)?|delete\s+from\s+)["'`[]?\s*["'`\]]?\s*(?:cascade\s*)?;?\s*$/i;

/** Path of a home or system folder, if a fact is one. */
function rootIn(fact: Fact | undefined): string | undefined {
  // A path of the caller is an intended removal; the taint rules report it where it is not.
  if (!fact || taintsIn(fact).length > 0) return undefined;
  // A prefix that ends in a separator has an unknown rest: what is removed lies below, as every temporary file does.
  const isPrefix = typeof fact.lead === 'string' && fact.lead.endsWith('/') && fact.value?.kind !== 'constant';
  const text = isPrefix ? '' : typeof fact.lead === 'string' ? fact.lead : knownText(fact);
  if (rootPath.test(text)) return text;
  const name = fact.name ?? '';
  return homeCall.test(name) || (expandsHome.test(name) && rootPath.test(text)) ? 'the home folder' : undefined;
}

/** What a listing of a home or system folder yields; undefined for any other folder. */
export function rootListing(call: CallSite): string | undefined {
  const root = rootIn(call.args[0]) ?? rootIn(call.receiver);
  return root === undefined ? undefined : `${listed}${root}`;
}

/** Whether a pseudo taint stands for the names below a root folder. */
export const isRootFolder = (what: string): boolean => what.startsWith(listed);

/** What a call destroys, if that is more than its caller named. */
export function destroyedBy(call: CallSite, at: Location): Destruction | undefined {
  const effect = effectOf(call.name);
  const [first] = call.args;
  if (effect === 'start') return startedRemoval(call, at);
  if (effect === 'statement') {
    // Tainted or constant statements are handled elsewhere; here a name was looked up by the code.
    if (!first || taintsIn(first).length > 0 || first.value?.kind !== 'text') return undefined;
    return dropsUnnamed.test(knownText(first))
      ? { at, what: 'drops or empties tables that it looked up itself' }
      : undefined;
  }
  if (effect !== 'remove') return undefined;
  const target = call.name.startsWith('pathlib') ? call.receiver : first;
  const root = rootIn(target);
  if (root !== undefined) return { at, what: `removes ${root}` };
  const below =
    target &&
    taintsIn(target)
      .map(({ origin }) => contentPath(origin.param))
      .find((what) => what !== undefined && isRootFolder(what));
  return below === undefined ? undefined : { at, what: `removes ${below}` };
}

function startedRemoval(call: CallSite, at: Location): Destruction | undefined {
  const line = call.args
    .map((arg) => (arg.fields ? [...arg.fields.values()].map(knownText).join(' ') : knownText(arg)))
    .join(' ');
  const found = removesRoot.exec(line)?.[0];
  return found === undefined ? undefined : { at, what: `runs ${JSON.stringify(found.trim())}` };
}
