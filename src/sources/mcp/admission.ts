import type { ChannelEnd } from './channels/channel.js';
import type { LaunchCommand } from './channels/local-channel.js';
import type { McpConfig } from './config.js';
import type { Admit } from './source.js';

/** Decisions about upstream servers that this room asks for; src/admission makes them. */
export interface UpstreamAdmission {
  /** Undefined if the local server may start, else the reason against it. */
  admit(id: string, config: McpConfig, command: LaunchCommand): Promise<ChannelEnd | undefined>;
  /** Decides which definitions of a source are offered. */
  definitions(id: string, config: McpConfig): Admit;
  /** The same for resources of one principal, which are never pinned: pins are shared, and these names are not. */
  personalDefinitions(config: McpConfig): Admit;
  /** Tools that the running server offers and its scanned code does not register. */
  unregisteredTools(id: string): readonly string[];
}

/** Identity of a source independent of its configured name: its package, URL or command line. */
export function sourceIdentity({ package: packaged, runtime, url, command, args }: McpConfig): string {
  if (url !== undefined) return url;
  if (packaged !== undefined) return `${runtime ?? ''}:${packaged.replace(/(?<=.)(?:@|==)[^@=]*$/, '')}`;
  return [command ?? runtime ?? '', ...args].join(' ');
}

/** The program of a source without its arguments; equal for one program that is configured twice. */
export function sourceProgram(config: McpConfig): string {
  const { package: packaged, url, command, args, cwd } = config;
  if (packaged !== undefined || url !== undefined || command === undefined) return sourceIdentity(config);
  // An interpreter alone is no program: its script is the first argument that is not an option.
  const script = args.find((argument) => !argument.startsWith('-'));
  return [cwd ?? '', command, ...(isInterpreter(command) && script !== undefined ? [script] : [])].join(' ');
}

const isInterpreter = (command: string): boolean =>
  /^(?:node|nodejs|bun|deno|tsx|python[\d.]*|ruby|perl|php|java|dotnet|sh|bash|zsh|npx|bunx|uvx|uv|pipx|docker|podman|env)$/.test(
    command.split('/').at(-1) ?? '',
  );
