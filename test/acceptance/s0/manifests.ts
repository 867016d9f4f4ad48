const plenty = 'rate_per_minute: 100000';
/** A prefix of arguments of `sleep` that no other process on this machine has, so that runs beside this one are not counted. */
const unique = String(1_000_000 + process.pid);
/** The argument of `sleep` in `nap`. */
export const napSeconds = `${unique}.1`;
/** The argument of `sleep` in `slumber`. */
export const slumberSeconds = `${unique}.2`;

/** Manifests of the folder that the gateway of these checks offers, by file name. */
export const manifests: Readonly<Record<string, string>> = {
  'say.tool.yaml': `
command: echo
description: Prints one word
target: { kind: none }
flags: { word: { flag: -e, type: enum, values: [hello, bye], default: hello } }
limits: { ${plenty} }
`,
  'plain.tool.yaml': `
command: "true"
flags: {}
target: { kind: none }
`,
  'list.tool.yaml': `
command: ls
description: Lists a folder that does not exist
target: { kind: none }
flags: {}
always: [/proc/version, /nowhere/at/all]
limits: { ${plenty} }
`,
  'nap.tool.yaml': `
command: sleep
description: Sleeps for long
target: { kind: none }
flags: {}
always: ["${napSeconds}"]
sandbox: { best: prlimit, network: host }
limits: { timeout_sec: 1, max_timeout_sec: 2, concurrency: 2, queue: 0, ${plenty} }
`,
  'doze.tool.yaml': `
command: sleep
flags: {}
target: { kind: none }
always: ["${unique}.4"]
`,
  'slumber.tool.yaml': `
command: sleep
flags: {}
target: { kind: none }
always: ["${slumberSeconds}"]
sandbox: { best: prlimit, network: host }
`,
  'mark.tool.yaml': `
command: touch
description: Leaves a file, so that a run can be seen afterwards
target: { kind: none }
flags: { word: { flag: -c, type: boolean } }
extra_args: true
always: [FOLDER/marked]
sandbox: { best: prlimit, network: host }
limits: { ${plenty} }
`,
  'spread.tool.yaml': `
command: setsid
description: Prints, then waits in a process of another session
target: { kind: none }
flags: {}
always: [--wait, tail, -f, FOLDER/begun.txt]
sandbox: { best: prlimit, network: host }
limits: { timeout_sec: 1, ${plenty} }
`,
  'pipe.tool.yaml': `
command: cat
description: Waits until the pipe has a writer
target: { kind: none }
flags: {}
always: [FOLDER/pipe]
sandbox: { best: prlimit, network: host }
limits: { timeout_sec: 1, concurrency: 5, ${plenty} }
`,
  'denied.tool.yaml': `
command: chown
description: Tries what no tool may do
target: { kind: none }
flags: {}
always: ["1", FOLDER/begun.txt]
sandbox: { best: prlimit, network: host }
limits: { ${plenty} }
`,
  'latch.tool.yaml': `
command: flock
description: Leaves a file, then waits for long
target: { kind: none }
flags: {}
always: [FOLDER/latched, sleep, "${unique}.5"]
sandbox: { best: prlimit, network: host }
breaker: { failure_threshold: 1 }
limits: { timeout_sec: 1, ${plenty} }
`,
  'literal.tool.yaml': `
command: echo
description: Prints words that a shell would expand
target: { kind: none }
flags: {}
always: ['$(id) \`id\` ; id | id && * ~ $HOME']
limits: { ${plenty} }
`,
  'loud.tool.yaml': `
command: ls
description: Complains at length
target: { kind: none }
flags: {}
always: [${Array.from({ length: 40 }, (_, index) => `/nowhere/${'x'.repeat(60)}${index}`).join(', ')}]
limits: { ${plenty} }
`,
  'limits.tool.yaml': `
command: prlimit
description: Prints its own limits
target: { kind: none }
flags: {}
always: [--raw, --noheadings, "--output=RESOURCE,SOFT,HARD"]
limits: { timeout_sec: 20, memory_mb: 300, file_descriptors: 100, ${plenty} }
`,
  'variables.tool.yaml': `
command: printenv
description: Prints its environment
target: { kind: none }
flags: {}
environment: { DECLARED: "yes" }
limits: { ${plenty} }
`,
  'flood.tool.yaml': `
command: "yes"
description: Prints without end
target: { kind: none }
flags: {}
limits: { timeout_sec: 20, max_stdout_bytes: 4096, ${plenty} }
`,
  'session.tool.yaml': `
command: cat
description: Prints the kernel's status line of its own process
target: { kind: none }
flags: {}
always: [/proc/self/stat]
sandbox: { best: prlimit, network: host }
limits: { ${plenty} }
`,
  'bytes.tool.yaml': `
command: printf
description: Prints bytes that are no UTF-8, and a terminal escape
target: { kind: none }
flags: {}
always: ['a\\377b\\033[31mred\\033[0m']
limits: { ${plenty} }
`,
  'json.tool.yaml': `
command: printf
description: Prints JSON
target: { kind: none }
flags: {}
always: ['{"a":1}']
limits: { ${plenty} }
`,
  'markup.tool.yaml': `
command: printf
description: Prints XML, with an entity that must not expand
target: { kind: none }
flags: {}
parser: xml
always: ['<?xml version="1.0"?><a b="1"><c>t</c></a>']
limits: { ${plenty} }
`,
  'entity.tool.yaml': `
command: printf
description: Prints XML, with an entity that must not expand
target: { kind: none }
flags: {}
parser: xml
always: ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>']
limits: { ${plenty} }
`,
  'markup_undeclared.tool.yaml': `
command: printf
description: Prints XML without a parser
target: { kind: none }
flags: {}
always: ['<a b="1"></a>']
limits: { ${plenty} }
`,
  'pairs.tool.yaml': `
command: printf
description: Prints lines of a key and a value
target: { kind: none }
flags: {}
parser: key_value
always: ['Name: box\\nPort: 80\\nnoise\\nName: two\\n']
limits: { ${plenty} }
`,
  'records.tool.yaml': `
command: printf
description: Prints one JSON value per line
target: { kind: none }
flags: {}
parser: json_lines
always: ['{"a":1}\\n{"a":2}\\nnoise\\n']
limits: { ${plenty} }
`,
  'rows.tool.yaml': `
command: printf
description: Prints lines
target: { kind: none }
flags: {}
parser: lines
always: ['one\\ntwo\\n']
limits: { ${plenty} }
`,
  'absent.tool.yaml': `
command: no-such-program-here
description: Runs a program that is not installed
target: { kind: none }
flags: {}
`,
  'measure.tool.yaml': `
command: seq
description: Counts
target: { kind: none }
end_of_flags: true
flags:
  intensity: { flag: --intensity, type: integer, min: 0, max: 9 }
  rate: { flag: --rate, type: integer, min: 1, max: 10000 }
  duration: { flag: --timeout, type: number, min: 1, max: 3600 }
  separator: { flag: [-s, --separator], type: string, pattern: '[a-z,]{1,3}', form: equals }
  wide: { flag: -w, type: boolean }
extra_args: true
always: ["3"]
limits: { ${plenty} }
`,
  'probe.tool.yaml': `
command: echo
description: Prints the target it was given
target: { kind: cidr }
flags: {}
end_of_flags: true
limits: { ${plenty} }
`,
  'address.tool.yaml': `
command: echo
description: Prints the host it was given
target: { kind: host }
flags: {}
limits: { ${plenty} }
`,
  'page.tool.yaml': `
command: echo
description: Prints the address it was given
target: { kind: url }
flags: {}
limits: { ${plenty} }
`,
  'twice.tool.yaml': `
command: ls
description: Fails, and may be repeated
target: { kind: none }
flags: {}
always: [/nowhere/at/all]
retry: { attempts: 3, delay_ms: 1 }
limits: { ${plenty} }
`,
  'fragile.tool.yaml': `
command: sleep
description: Sleeps for long, with a breaker of its own
target: { kind: none }
flags: {}
always: ["${unique}.3"]
breaker: { failure_threshold: 1, recovery_timeout: 120, counts: [timeout] }
information: { capabilities: [rest], maintainer: ops }
version: "2.5"
limits: { timeout_sec: 1, ${plenty} }
`,
  'Example.tool.yaml': `
command: echo
description: Is skipped by its name
target: { kind: none }
flags: {}
`,
  'off.tool.yaml': `
command: echo
description: Is skipped by its switch
tool: false
target: { kind: none }
flags: {}
`,
  'broken.tool.yaml': 'command: [echo\n',
  'open.tool.yaml': `
command: echo
description: Would allow every flag
target: { kind: none }
`,
};
