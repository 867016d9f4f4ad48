import { mergeTaints, taintsIn, type Fact } from '../facts/facts.js';
import { memoizeByName } from '../facts/qualified-names.js';
import { optionField, type Hit, type CallSite } from './sinks.js';

const isPageScript = memoizeByName((name) =>
  /(?:page|frame|tab|webContents|webview|browser|driver|Runtime|client|session|cdp|target)\w*(?:\(\))?\.(?:evaluate|evaluateHandle|evaluateOnNewDocument|addInitScript|executeJavaScript|executeScript|executeAsyncScript|callFunctionOn|addScriptToEvaluateOnNewDocument)$/i.test(
    name,
  ),
);
const options = ['expression', 'functionDeclaration', 'source', 'script'];

/**
 * Scripts passed to a browser page as a string. Only tainted data inside a larger script counts: a tool that runs a
 * whole caller script does so by design, and function arguments are passed separately from the code.
 */
export function pageScriptSink(call: CallSite): readonly Hit[] {
  if (!isPageScript(call.name)) return [];
  const given = [call.args[0], ...options.map((key) => optionField(call, key))].flatMap((fact) => fact ?? []);
  const facts = given.flatMap((fact) => (fact.fields ? [] : interpolated(fact)));
  return facts.length === 0 ? [] : [{ rule: 'code', facts, what: call.name.replace(/^\?\./, ''), inPage: true }];
}

const interpolated = (fact: Fact): readonly Fact[] => {
  const taints = mergeTaints(taintsIn(fact).filter(({ whole }) => !whole));
  return taints.length === 0 || fact.value?.kind !== 'text' ? [] : [{ ...fact, taints }];
};
