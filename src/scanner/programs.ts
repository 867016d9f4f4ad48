import { isAuxiliary } from './project/auxiliary-files.js';
import type { Machine } from './evaluate/interpreter/abstract-machine.js';
import { programOf } from './surface/hand-rolled-dispatch.js';
import { flowsOf, type EntryResult } from './taint/run.js';
import type { ToolEntry } from './taint/sources/sources.js';

/** Code that does something at import which a rule about malware judges; all other modules are skipped. */
const mayHarm =
  /\b(?:exec|eval|Function|compile|rmtree|rmSync|rimraf|sendall|sendmail|rm\s+-|id_rsa|\.ssh|\.aws|urlopen|process\.env\b|os\.environ\b)/;
/** Bounds the work: a package with many scripts is not analysed to the last one. */
const maxModules = 40;
/** Longer files are bundles, whose evaluation would take the whole budget. */
const longestProgram = 300_000;

/** What the modules of a server do when they are started, before any tool is called. */
export function programsOf(
  machine: Machine,
  deadline = Number.POSITIVE_INFINITY,
): readonly { readonly entry: ToolEntry; readonly result: EntryResult }[] {
  const runs = [...machine.runs.values()].filter(
    ({ module }) => !isAuxiliary(module.path) && module.text.length < longestProgram && mayHarm.test(module.text),
  );
  return runs.slice(0, maxModules).map((run) => {
    const entry: ToolEntry = {
      kind: 'tool',
      name: run.module.path,
      description: '',
      handler: programOf(run),
      schema: undefined,
      isDispatcher: false,
    };
    return { entry, result: flowsOf(machine, entry, deadline) };
  });
}
