import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import type { LoadedConfig } from '../../src/config/load.js';
import { log } from '../../src/observe/log/log.js';
import type { Gate } from '../../src/serve/gate.js';
import { openGate } from '../../src/serve/gate.js';
import { homeOf } from '../../src/serve/home.js';
import { aPlace } from './toolgate.js';

/** A record of the journal, as far as tests look at it. */
interface JournalRecord {
  readonly event: string;
  readonly tool: string | undefined;
  readonly principal: string;
  readonly decision: string;
  readonly code?: string;
}

export interface WholeGate {
  readonly gate: Gate;
  readonly folder: string;
  /** Activates another configuration, as a changed file would. */
  reload(yaml: string): Promise<void>;
  /** Records of calls in the journal so far, without those written ahead. */
  journal(): readonly JournalRecord[];
}

/** The gate of a configuration as the program builds it, in this process and without a door; closed when the test ends. */
export async function aWholeGate(yaml: string, prepare: (folder: string) => void = () => {}): Promise<WholeGate> {
  const folder = aPlace({ 'toolgate.yaml': yaml });
  prepare(folder);
  const env = { HOME: folder, PATH: process.env['PATH'] };
  const load = async (): Promise<LoadedConfig> => {
    const loaded = await loadConfig({ env, argv: ['--config', join(folder, 'toolgate.yaml')], cwd: folder });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    return loaded;
  };
  const loaded = await load();
  const home = homeOf(env, join(folder, 'home'));
  const gate = await openGate({ loaded, home, log: log({ write: () => {} }), env });
  onTestFinished(() => gate.close(0));
  return {
    gate,
    folder,
    async reload(next) {
      writeFileSync(join(folder, 'toolgate.yaml'), next);
      await gate.reload((await load()).config);
    },
    journal: () =>
      readdirSync(home.audit, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) => readFileSync(join(home.audit, name), 'utf8').trim().split('\n'))
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as JournalRecord) // the journal holds records only
        .filter(({ event, tool }) => tool !== undefined && event !== 'begin' && event !== 'admin'),
  };
}
