import { mergeTaints, taintsIn, type Fact } from './facts.js';
import { byName } from './names.js';
import { optionField, type Hit, type SeenCall } from './sinks.js';

const isPageScript = byName((name) =>
  /(?:page|frame|tab|webContents|webview|browser|driver|Runtime|client|session|cdp|target)\w*(?:\(\))?\.(?:evaluate|evaluateHandle|evaluateOnNewDocument|addInitScript|executeJavaScript|executeScript|executeAsyncScript|callFunctionOn|addScriptToEvaluateOnNewDocument)$/i.test(
    name,
  ),
);
const options = ['expression', 'functionDeclaration', 'source', 'script'];

/**
 * Scripts that a browser is given as text. Only text with the caller's part inside counts: a tool that runs the caller's
 * own script in a page says so, and a function passes its arguments apart from its code.
 */
export function pageScriptSink(call: SeenCall): readonly Hit[] {
  if (!isPageScript(call.name)) return [];
  const given = [call.args[0], ...options.map((key) => optionField(call, key))].flatMap((fact) => fact ?? []);
  const facts = given.flatMap((fact) => (fact.fields ? [] : inside(fact)));
  return facts.length === 0 ? [] : [{ rule: 'code', facts, what: call.name.replace(/^\?\./, ''), inPage: true }];
}

const inside = (fact: Fact): readonly Fact[] => {
  const taints = mergeTaints(taintsIn(fact).filter(({ whole }) => !whole));
  return taints.length === 0 || fact.value?.kind !== 'text' ? [] : [{ ...fact, taints }];
};
