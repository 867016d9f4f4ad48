import type { SourceHealth } from '../core/source.js';
import { resolveProgram, type Program, type ProgramProblem } from '../processes/index.js';
import { findUv } from '../sources/mcp/packages/find-uv.js';
import type { Check } from './settings-checks.js';

/** Programs that sources may need, and for what. */
const programs = [
  ['bwrap', 'sandbox of local MCP servers and command tools (package bubblewrap)'],
  ['npm', 'installs servers with runtime npx'],
  ['uv', 'installs servers with runtime uvx'],
  ['python3', 'runs servers with runtime uvx or python'],
  ['git', 'used by servers that work on repositories'],
  ['docker', 'runs servers with runtime docker'],
] as const;

/** Programs of this machine that sources may need; a missing one is a warning with what it is for. */
export const programChecks = (env: NodeJS.ProcessEnv): Promise<readonly Check[]> =>
  Promise.all(
    programs.map(async ([name, purpose]) => {
      const found: Program | ProgramProblem =
        name === 'uv' ? await findUv(env, env['PATH']) : await resolveProgram(name);
      return {
        name: `program: ${name}`,
        result: found.kind === 'program' ? 'pass' : 'warn',
        detail: `${found.kind === 'program' ? found.found : found.message}: ${purpose}`,
      } as const;
    }),
  );

/** Sandbox of each source that starts processes; anything below the bwrap tier is a warning. */
export const sandboxChecks = (health: Readonly<Record<string, SourceHealth>>): readonly Check[] =>
  Object.entries(health).flatMap(([id, { sandbox }]) =>
    sandbox === undefined
      ? []
      : [{ name: `source: ${id}`, result: sandbox.startsWith('bwrap') ? 'pass' : 'warn', detail: sandbox } as const],
  );
