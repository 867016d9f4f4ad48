import type { Capability, ToolCapabilities } from './report.js';
import type { EntryResult } from './taint/run.js';
import type { ToolEntry } from './taint/sources/sources.js';

const exec =
  /^(?:os\.(?:system|popen|exec\w+|spawn\w+)|subprocess\.\w+|asyncio\.create_subprocess_\w+|pty\.spawn|child_process\.\w+|execa(?:\.\w+)?|shelljs\.exec|eval|exec|Function|vm\.\w+|vm2\..*)$/;
const reads =
  /^(?:open|io\.open|aiofiles\.open|pathlib\..*\.(?:read_text|read_bytes|open|iterdir|glob|rglob)|os\.(?:listdir|scandir|walk|environ.*|getenv)|fs(?:\.promises)?\.(?:readFile|readFileSync|readdir|readdirSync|createReadStream|open)|sqlite3\..*|.*(?:cursor|pool|db|conn\w*)(?:\(\))?\.(?:execute|query|fetch\w*)|imaplib\..*|keyring\.get_password|.*(?:messages|files|drive|gmail|calendar)\(?\)?\.(?:list|get|search)(?:\(\))?)$/;
const fetches =
  /^(?:fetch|axios(?:\.(?:get|request))?|got(?:\.get)?|ky(?:\.get)?|https?\.(?:get|request)|undici\.(?:fetch|request)|requests\.(?:get|request|Session\(\)\.get)|httpx\.(?:get|request|(?:Async)?Client\(\)\.(?:get|request|send))|aiohttp\..*\.(?:get|request)|urllib\.request\.urlopen|urllib3\..*\.request|feedparser\.parse|.*page\.goto)$/;
const sends =
  /^(?:axios\.(?:post|put|patch|request)|got\.(?:post|put|patch)|ky\.(?:post|put)|requests\.(?:post|put|patch|request)|httpx\.(?:post|put|patch|(?:Async)?Client\(\)\.(?:post|put|patch|request))|aiohttp\..*\.(?:post|put|patch|request)|smtplib\..*|nodemailer\..*\.sendMail|.*\.(?:chat_postMessage|postMessage|send_message|sendMessage|sendMail)|socket\..*\.send(?:all)?)$/;
const destroys =
  /^(?:os\.(?:remove|unlink|rmdir|removedirs|truncate|rename|replace)|shutil\.(?:rmtree|move)|send2trash.*|pathlib\..*\.(?:unlink|rmdir|write_text|write_bytes)|fs(?:\.promises)?\.(?:unlink|unlinkSync|rm|rmSync|rmdir|rmdirSync|writeFile|writeFileSync|truncate|rename|renameSync)|axios\.delete|requests\.delete|httpx\..*\.delete)$/;

const capabilityPatterns: readonly (readonly [Capability, RegExp])[] = [
  ['exec', exec],
  ['private-read', reads],
  ['untrusted-input', fetches],
  ['external-send', sends],
  ['destructive', destroys],
];

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

/** Derives the capabilities of every tool. */
export const capabilitiesOf = (
  entries: readonly { readonly entry: ToolEntry; readonly result: EntryResult }[],
): readonly ToolCapabilities[] =>
  entries
    .filter(({ entry }) => entry.kind === 'tool')
    .map(({ entry, result }) => ({ tool: entry.name, capabilities: capabilitiesIn(result) }));
