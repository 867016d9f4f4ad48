import type { Capability, ToolCapabilities } from './report.js';
import type { EntryResult } from './taint/run.js';
import type { ToolEntry } from './taint/sources/sources.js';

/** Calls that run programs or code. */
const exec =
  /^(?:os\.(?:system|popen|exec\w+|spawn\w+)|subprocess\.\w+|asyncio\.create_subprocess_\w+|pty\.spawn|child_process\.\w+|execa(?:\.\w+)?|shelljs\.exec|eval|exec|Function|vm\.\w+|vm2\..*|.*\.exec_run|kubernetes\.stream\.stream|.*\.connect_(?:get|post)_namespaced_pod_exec|dockerode\(\)\.getContainer\(\)\.exec|@kubernetes\/client-node\.Exec\(\)\.exec|paramiko\..*\.exec_command|node-ssh\..*\.exec\w*|ssh2\..*\.exec)$/;
/** Calls that read private data: files, environment, databases, mailboxes. */
const reads =
  /^(?:open|io\.open|aiofiles\.open|pathlib\..*\.(?:read_text|read_bytes|open|iterdir|glob|rglob)|os\.(?:listdir|scandir|walk|environ.*|getenv)|fs(?:\.promises)?\.(?:readFile|readFileSync|readdir|readdirSync|createReadStream|open)|sqlite3\..*|.*(?:cursor|pool|db|conn\w*)(?:\(\))?\.(?:execute|query|fetch\w*)|imaplib\..*|keyring\.get_password|.*(?:messages|files|drive|gmail|calendar)\(?\)?\.(?:list|get|search)(?:\(\))?)$/;
/** Calls that bring in text of others, which may carry instructions. */
const fetches =
  /^(?:fetch|axios(?:\.(?:get|request))?|got(?:\.get)?|ky(?:\.get)?|https?\.(?:get|request)|undici\.(?:fetch|request)|requests\.(?:get|request|Session\(\)\.get)|httpx\.(?:get|request|(?:Async)?Client\(\)\.(?:get|request|send))|aiohttp\..*\.(?:get|request)|urllib\.request\.urlopen|urllib3\..*\.request|feedparser\.parse|.*[pP]age(?:\(\))?\.(?:goto|navigate|evaluate|content|\$eval)|.*driver(?:\(\))?\.(?:get|execute_script)|selenium\..*\.get)$/;
/** Calls that send data out. */
const sends =
  /^(?:axios\.(?:post|put|patch|request)|got\.(?:post|put|patch)|ky\.(?:post|put)|requests\.(?:post|put|patch|request)|httpx\.(?:post|put|patch|(?:Async)?Client\(\)\.(?:post|put|patch|request))|aiohttp\..*\.(?:post|put|patch|request)|smtplib\..*|nodemailer\..*\.sendMail|.*\.(?:chat_postMessage|postMessage|send_message|sendMessage|sendMail)|socket\..*\.send(?:all)?)$/;
/** Calls that delete or overwrite. */
const destroys =
  /^(?:os\.(?:remove|unlink|rmdir|removedirs|truncate|rename|replace)|shutil\.(?:rmtree|move)|send2trash.*|pathlib\..*\.(?:unlink|rmdir|write_text|write_bytes)|fs(?:\.promises)?\.(?:unlink|unlinkSync|rm|rmSync|rmdir|rmdirSync|writeFile|writeFileSync|truncate|rename|renameSync)|axios\.delete|requests\.delete|httpx\..*\.delete)$/;

/** Patterns by capability; the order is that of reports. */
const capabilityPatterns: readonly (readonly [Capability, RegExp])[] = [
  ['exec', exec],
  ['private-read', reads],
  ['untrusted-input', fetches],
  ['external-send', sends],
  ['destructive', destroys],
];

const capabilityOrder = capabilityPatterns.map(([capability]) => capability);

/** Derives the capabilities of a tool from the calls its code reaches. */
function capabilitiesIn(result: EntryResult): readonly Capability[] {
  const names = [...new Set(result.reached.map((call) => call.name.replace(/^\?\./, '')))];
  const found = capabilityPatterns
    .filter(([, pattern]) => names.some((name) => pattern.test(name)))
    .map(([capability]) => capability);
  // A caller-controlled URL can carry data out in its path or query.
  if (result.flows.some((flow) => flow.rule === 'url') && !found.includes('external-send')) found.push('external-send');
  return found;
}

/** Derives the capabilities of every tool, over all functions that may handle it. */
export function capabilitiesOf(
  entries: readonly { readonly entry: ToolEntry; readonly result: EntryResult }[],
): readonly ToolCapabilities[] {
  const byTool = new Map<string, Set<Capability>>();
  const all: { readonly tool: string; readonly found: Set<Capability> }[] = [];
  for (const { entry, result } of entries) {
    if (entry.kind !== 'tool') continue;
    // Further handlers of one tool add to its capabilities.
    const before = entry.isFurther ? byTool.get(entry.name) : undefined;
    const found = before ?? new Set<Capability>();
    for (const capability of capabilitiesIn(result)) found.add(capability);
    if (before) continue;
    byTool.set(entry.name, found);
    all.push({ tool: entry.name, found });
  }
  return all.map(({ tool, found }) => ({ tool, capabilities: capabilityOrder.filter((each) => found.has(each)) }));
}
