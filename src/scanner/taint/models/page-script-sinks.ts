import { mergeTaints, taintsIn, type Fact } from '../facts/facts.js';
import { lastSegment, memoizeByName } from '../facts/qualified-names.js';
import { isModelled, modelOf } from './models.js';
import { optionField, type Hit, type CallSite } from './sinks.js';

/** Names that libraries and programs use for a page or for the connection to one. */
const pageName =
  /(?:page|frame|tab|webContents|webview|browser|driver|Runtime|client|session|cdp|target)\w*(?:\(\))?$/i;
const isPageScript = memoizeByName((name) => {
  const method = lastSegment(name);
  return isModelled('page-script', method) && pageName.test(name.slice(0, -method.length - 1));
});

/**
 * Scripts passed to a browser page as a string. Only tainted data inside a larger script counts: a tool that runs a
 * whole caller script does so by design, and function arguments are passed separately from the code.
 */
export function pageScriptSink(call: CallSite): readonly Hit[] {
  if (!isPageScript(call.name)) return [];
  const given = [call.args[0], ...optionsOf(call.name).map((key) => optionField(call, key))].flatMap(
    (fact) => fact ?? [],
  );
  const facts = given.flatMap((fact) => (fact.fields ? [] : interpolated(fact)));
  return facts.length === 0 ? [] : [{ rule: 'code', facts, what: call.name.replace(/^\?\./, ''), inPage: true }];
}

const optionsOf = (name: string): readonly string[] => modelOf('page-script', lastSegment(name))?.names ?? [];

const interpolated = (fact: Fact): readonly Fact[] => {
  const taints = mergeTaints(taintsIn(fact).filter(({ whole }) => !whole));
  return taints.length === 0 || fact.value?.kind !== 'text' ? [] : [{ ...fact, taints }];
};
