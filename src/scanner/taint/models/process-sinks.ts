import type { Fact } from '../facts/facts.js';
import { gitSink, isGitMethod, optionAmong, optionSink } from './option-sinks.js';
import { optionField, type Hit, type CallSite } from './sinks.js';

const shellLines = new Set([
  'os.system',
  'os.popen',
  'subprocess.getoutput',
  'subprocess.getstatusoutput',
  'commands.getoutput',
  'asyncio.create_subprocess_shell',
  'asyncio.subprocess.create_subprocess_shell',
  'anyio.run_process',
  'pexpect.run',
  'pexpect.spawn',
  'popen2.popen2',
  'child_process.exec',
  'child_process.execSync',
  'shelljs.exec',
  'execa.execaCommand',
  'execa.execaCommandSync',
  'execa.command',
  'execa.commandSync',
  'Bun.$',
  'invoke.run',
  'fabric.Connection().run',
  'fabric.Connection().local',
  'fabric.Connection().sudo',
  'invoke.Context().run',
  'paramiko.SSHClient().exec_command',
  'asyncssh.connect().run',
  'plumbum.local',
  'ssh2.Client().exec',
  'node-ssh.NodeSSH().execCommand',
]);
const argumentLists = new Set([
  'subprocess.run',
  'subprocess.call',
  'subprocess.check_call',
  'subprocess.check_output',
  'subprocess.Popen',
  'trio.run_process',
  'anyio.open_process',
  'pty.spawn',
]);
const variadicStarts = new Set([
  'asyncio.create_subprocess_exec',
  'asyncio.subprocess.create_subprocess_exec',
  'os.execl',
  'os.execlp',
  'os.execlpe',
  'os.spawnl',
  'os.spawnlp',
]);
const programAndList = new Set([
  'child_process.spawn',
  'child_process.spawnSync',
  'child_process.execFile',
  'child_process.execFileSync',
  'child_process.fork',
  'execa',
  'execa.execa',
  'execa.execaSync',
  'execa.sync',
  'tinyexec.x',
  'tinyexec.exec',
  'nano-spawn',
  'node-pty.spawn',
  'os.execv',
  'os.execvp',
  'os.execve',
  'os.spawnv',
  'os.spawnvp',
  'os.posix_spawn',
  'os.posix_spawnp',
  'Deno.Command',
  'Bun.spawn',
  'Bun.spawnSync',
]);

const shells = /(?:^|[/\\])(?:ba|z|da|k|c|tc|fi)?sh(?:\.exe)?$|(?:^|[/\\])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
const interpreters = /(?:^|[/\\])(?:python[\d.]*|node|deno|bun|perl|ruby|php|osascript|tsx|ts-node)(?:\.exe)?$/i;
const runsText = /^(?:-[a-z]*c|\/c|-Command|-EncodedCommand|-e|--eval|-p|--print|-r|eval)$/i;

/** Command injection sinks: a shell command line, a program name, or code passed to an interpreter. */
export function processSink(call: CallSite): readonly Hit[] {
  const { name, args, named } = call;
  if (isGitMethod(name)) return gitSink(call);
  const what = name;
  if (shellLines.has(name)) {
    const line = args[0] ?? named.get('command') ?? named.get('cmd');
    return line ? [{ rule: 'command', facts: [line], what }] : [];
  }
  if (argumentLists.has(name)) {
    const first = args[0] ?? named.get('args');
    if (!first) return [];
    if (isTrue(call, named.get('shell'))) return [{ rule: 'command', facts: [first], what: `${name} with a shell` }];
    const parts = orderedItems(first);
    const found = first.fields
      ? argumentListSinks(call, parts)
      : [{ rule: 'command' as const, facts: [first], what, isProgram: true }];
    return [...found, ...stdinSinks(call, parts)];
  }
  if (variadicStarts.has(name))
    return argumentListSinks(
      call,
      [...args, ...(named.has('program') ? [named.get('program') ?? args[0]] : [])].filter(
        (fact) => fact !== undefined,
      ),
    );
  // The `sh` library uses the function name as the program: `sh.bash('-c', line)`.
  if (name.startsWith('sh.') && call.language === 'python' && /^sh\.\w+$/.test(name))
    return argumentListSinks(call, [{ taints: [], value: { kind: 'constant', value: name.slice(3) } }, ...args]);
  if (programAndList.has(name)) {
    const [program, list] = args;
    if (!program) return [];
    const listed = name === 'Deno.Command' ? optionField(call, 'args') : list;
    const given = listed ? orderedItems(listed) : [];
    if (isTrue(call, optionField(call, 'shell')))
      return [{ rule: 'command', facts: [program, ...given], what: `${name} with a shell` }];
    return argumentListSinks(call, program.fields ? [...orderedItems(program), ...given] : [program, ...given]);
  }
  return [];
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
