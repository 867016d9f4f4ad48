import type { ModelRow } from '../rows.js';

/** Functions that pass a line to a shell. */
export const commandLines: readonly ModelRow[] = [
  ['os', 'system', '0 command cmd', '', 'command-line'],
  ['os', 'popen', '0 command cmd', '', 'command-line'],
  ['subprocess', 'getoutput', '0 command cmd', '', 'command-line'],
  ['subprocess', 'getstatusoutput', '0 command cmd', '', 'command-line'],
  ['commands', 'getoutput', '0 command cmd', '', 'command-line'],
  ['asyncio', 'create_subprocess_shell', '0 command cmd', '', 'command-line'],
  ['asyncio.subprocess', 'create_subprocess_shell', '0 command cmd', '', 'command-line'],
  ['anyio', 'run_process', '0 command cmd', '', 'command-line'],
  ['pexpect', 'run', '0 command cmd', '', 'command-line'],
  ['pexpect', 'spawn', '0 command cmd', '', 'command-line'],
  ['popen2', 'popen2', '0 command cmd', '', 'command-line'],
  ['child_process', 'exec', '0 command cmd', '', 'command-line'],
  ['child_process', 'execSync', '0 command cmd', '', 'command-line'],
  ['shelljs', 'exec', '0 command cmd', '', 'command-line'],
  ['execa', 'execaCommand', '0 command cmd', '', 'command-line'],
  ['execa', 'execaCommandSync', '0 command cmd', '', 'command-line'],
  ['execa', 'command', '0 command cmd', '', 'command-line'],
  ['execa', 'commandSync', '0 command cmd', '', 'command-line'],
  ['Bun', '$', '0 command cmd', '', 'command-line'],
  ['invoke', 'run', '0 command cmd', '', 'command-line'],
  ['fabric', 'Connection().run', '0 command cmd', '', 'command-line'],
  ['fabric', 'Connection().local', '0 command cmd', '', 'command-line'],
  ['fabric', 'Connection().sudo', '0 command cmd', '', 'command-line'],
  ['invoke', 'Context().run', '0 command cmd', '', 'command-line'],
  ['paramiko', 'SSHClient().exec_command', '0 command cmd', '', 'command-line'],
  ['asyncssh', 'connect().run', '0 command cmd', '', 'command-line'],
  ['plumbum', 'local', '0 command cmd', '', 'command-line'],
  ['ssh2', 'Client().exec', '0 command cmd', '', 'command-line'],
  ['node-ssh', 'NodeSSH().execCommand', '0 command cmd', '', 'command-line'],
];

/** Functions that start the program at the front of a list. */
export const argumentLists: readonly ModelRow[] = [
  ['subprocess', 'run', '0 args', '', 'argument-list'],
  ['subprocess', 'call', '0 args', '', 'argument-list'],
  ['subprocess', 'check_call', '0 args', '', 'argument-list'],
  ['subprocess', 'check_output', '0 args', '', 'argument-list'],
  ['subprocess', 'Popen', '0 args', '', 'argument-list'],
  ['trio', 'run_process', '0 args', '', 'argument-list'],
  ['anyio', 'open_process', '0 args', '', 'argument-list'],
  ['pty', 'spawn', '0 args', '', 'argument-list'],
];

/** Functions whose arguments are the words of a command line. */
export const argumentWords: readonly ModelRow[] = [
  ['asyncio', 'create_subprocess_exec', '*', '', 'argument-words'],
  ['asyncio.subprocess', 'create_subprocess_exec', '*', '', 'argument-words'],
  ['os', 'execl', '*', '', 'argument-words'],
  ['os', 'execlp', '*', '', 'argument-words'],
  ['os', 'execlpe', '*', '', 'argument-words'],
  ['os', 'spawnl', '*', '', 'argument-words'],
  ['os', 'spawnlp', '*', '', 'argument-words'],
];

/** Functions that take a program and a list of its arguments. */
export const programStarts: readonly ModelRow[] = [
  ['child_process', 'spawn', '0 1', '', 'program-and-list'],
  ['child_process', 'spawnSync', '0 1', '', 'program-and-list'],
  ['child_process', 'execFile', '0 1', '', 'program-and-list'],
  ['child_process', 'execFileSync', '0 1', '', 'program-and-list'],
  ['child_process', 'fork', '0 1', '', 'program-and-list'],
  ['execa', '', '0 1', '', 'program-and-list'],
  ['execa', 'execa', '0 1', '', 'program-and-list'],
  ['execa', 'execaSync', '0 1', '', 'program-and-list'],
  ['execa', 'sync', '0 1', '', 'program-and-list'],
  ['tinyexec', 'x', '0 1', '', 'program-and-list'],
  ['tinyexec', 'exec', '0 1', '', 'program-and-list'],
  ['nano-spawn', '', '0 1', '', 'program-and-list'],
  ['node-pty', 'spawn', '0 1', '', 'program-and-list'],
  ['os', 'execv', '0 1', '', 'program-and-list'],
  ['os', 'execvp', '0 1', '', 'program-and-list'],
  ['os', 'execve', '0 1', '', 'program-and-list'],
  ['os', 'spawnv', '0 1', '', 'program-and-list'],
  ['os', 'spawnvp', '0 1', '', 'program-and-list'],
  ['os', 'posix_spawn', '0 1', '', 'program-and-list'],
  ['os', 'posix_spawnp', '0 1', '', 'program-and-list'],
  ['Deno', 'Command', '0 args', '', 'program-and-list'],
  ['Bun', 'spawn', '0 1', '', 'program-and-list'],
  ['Bun', 'spawnSync', '0 1', '', 'program-and-list'],
];

/** Functions that run a command inside of a container or pod. */
export const containerCommands: readonly ModelRow[] = [
  ['docker', '**.exec_run', 'cmd 0', '', 'container-command'],
  ['?', '**.exec_run', 'cmd 0', '', 'container-command'],
  ['docker', 'APIClient().exec_create', 'cmd 1', '', 'container-command'],
  ['kubernetes.stream', 'stream', 'command', '', 'container-command'],
  ['**', 'connect_get_namespaced_pod_exec', 'command', '', 'container-command'],
  ['**', 'connect_post_namespaced_pod_exec', 'command', '', 'container-command'],
  ['dockerode', '().getContainer().exec', 'Cmd', '', 'container-command'],
  ['@kubernetes/client-node', 'Exec().exec', '3', '', 'container-command'],
];

/** Template tags that run a command line and quote each value. */
export const shellTags: readonly ModelRow[] = [
  ['zx', '$', '*', '', 'shell-tag'],
  ['execa', '$', '*', '', 'shell-tag'],
  ['execa', 'execa', '*', '', 'shell-tag'],
  ['Bun', '$', '*', '', 'shell-tag'],
  ['dax', '$', '*', '', 'shell-tag'],
  ['dax-sh', '$', '*', '', 'shell-tag'],
];

/** Commands of GitPython: their arguments become words of a git command line. */
export const gitCommands: readonly ModelRow[] = [
  ['**', 'git.add', '*', '', 'git-words'],
  ['**', 'git.am', '*', '', 'git-words'],
  ['**', 'git.apply', '*', '', 'git-words'],
  ['**', 'git.archive', '*', '', 'git-words'],
  ['**', 'git.blame', '*', '', 'git-words'],
  ['**', 'git.branch', '*', '', 'git-words'],
  ['**', 'git.checkout', '*', '', 'git-words'],
  ['**', 'git.cherry_pick', '*', '', 'git-words'],
  ['**', 'git.clone', '*', '', 'git-words'],
  ['**', 'git.commit', '*', '', 'git-words'],
  ['**', 'git.diff', '*', '', 'git-words'],
  ['**', 'git.fetch', '*', '', 'git-words'],
  ['**', 'git.grep', '*', '', 'git-words'],
  ['**', 'git.log', '*', '', 'git-words'],
  ['**', 'git.ls_files', '*', '', 'git-words'],
  ['**', 'git.ls_remote', '*', '', 'git-words'],
  ['**', 'git.merge', '*', '', 'git-words'],
  ['**', 'git.mv', '*', '', 'git-words'],
  ['**', 'git.pull', '*', '', 'git-words'],
  ['**', 'git.push', '*', '', 'git-words'],
  ['**', 'git.rebase', '*', '', 'git-words'],
  ['**', 'git.remote', '*', '', 'git-words'],
  ['**', 'git.reset', '*', '', 'git-words'],
  ['**', 'git.rev_list', '*', '', 'git-words'],
  ['**', 'git.rev_parse', '*', '', 'git-words'],
  ['**', 'git.revert', '*', '', 'git-words'],
  ['**', 'git.rm', '*', '', 'git-words'],
  ['**', 'git.show', '*', '', 'git-words'],
  ['**', 'git.stash', '*', '', 'git-words'],
  ['**', 'git.submodule', '*', '', 'git-words'],
  ['**', 'git.switch', '*', '', 'git-words'],
  ['**', 'git.tag', '*', '', 'git-words'],
  ['**', 'git.worktree', '*', '', 'git-words'],
  ['**', 'git.execute', '*', '', 'git-words'],
];
