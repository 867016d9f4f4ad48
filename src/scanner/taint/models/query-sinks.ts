import type { Value } from '../../evaluate/values/values.js';
import { mergeTaints, taintsIn, type Fact } from '../facts/facts.js';
import { memoizeByName, lastSegment } from '../facts/qualified-names.js';
import { isStatementName } from '../facts/param-names.js';
import { isModelled, isOfPackage, modelOf } from './models.js';
import type { Hit, CallSite } from './sinks.js';

/** `executeSql`, `run_query`, `rawQuery` and similar; the argument must still look like a statement. */
const runsStatements = /^(?:(?:exec|execute|run|query|fetch|raw)_?(?:raw_?)?(?:sql|query|statement|stmt)|sql_?query)$/i;
/** Named arguments that carry a statement, for methods that only look like a runner. */
const statementNames: readonly string[] = modelOf('runs-statement', 'execute')?.names ?? [];
const statement =
  /\b(?:select\b[\s\S]*\bfrom|insert\s+(?:or\s+\w+\s+)?into|update\b[\s\S]*\bset|delete\s+from|create\s+(?:or\s+replace\s+)?(?:temp\w*\s+)?(?:table|view|index|database|schema|user|extension)|drop\s+(?:table|view|index|database|schema)|alter\s+table|truncate\s+table|pragma\b|show\s+(?:tables|columns|create|index|databases)|describe\b|explain\b|where\s+\w+|order\s+by|group\s+by|union\s+(?:all\s+)?select|use\s|call\s|grant\s|with\s+\w+\s+as|match\s*\(|merge\s*\(|select\s)|\|\s*(?:getschema|sample|take|where|project|summarize|limit|count|extend|join)\b|^\s*\.(?:show|drop|alter|create|set|ingest)\s/i;

const isNotDatabase = memoizeByName((name) => isOfPackage('no-database', name));
/** Clients of databases: what their methods run is a statement, whatever its text; the arguments of a prepared one are bound values. */
const isDatabase = memoizeByName((name) => !/prepare\w*\(\)/.test(name) && isOfPackage('database', name));
const runs = (method: string): boolean => isModelled('runs-statement', method) || runsStatements.test(method);
const queryKinds = ['document-query', 'directory-search', 'xpath'] as const;
const isQuery = memoizeByName((name) => {
  const method = lastSegment(name);
  return runs(method) || queryKinds.some((kind) => isModelled(kind, method));
});

/** Injection sinks of query languages: SQL, MongoDB, LDAP and XPath. */
export function querySink(call: CallSite): readonly Hit[] {
  const sent = sentStatements(call);
  if (!isQuery(call.name)) return sent;
  const method = lastSegment(call.name);
  const what = call.name.replace(/^\?\./, '');
  const found: Hit[] = [...sent];
  const [first] = call.args;
  const statementFact = statementOf(call);
  if (
    statementFact &&
    runs(method) &&
    call.name.includes('.') &&
    !isNotDatabase(call.name) &&
    (isDatabase(call.name) || looksLikeSql(call, statementFact))
  )
    found.push({ rule: 'sql', facts: [statementFact], what });
  if (
    first &&
    isModelled('document-query', method) &&
    call.name.includes('.') &&
    !isNotDatabase(call.name) &&
    isDocument(call, first)
  )
    found.push({ rule: 'query', facts: [first], what });
  if (isModelled('directory-search', method)) found.push(...ldapFilter(call, what));
  if (isModelled('xpath', method) && first && call.language === 'python')
    found.push({ rule: 'query', facts: [first], what });
  return found;
}

const sendsRequest = memoizeByName(
  (name) =>
    /^(?:post|put|patch|request|fetch|send|query|execute|exec|run|call|invoke|submit|create_?query|start_?query)\w*$|Command$/i.test(
      lastSegment(name.replace(/\(\)$/, '')),
    ) && !/^(?:console|JSON|Object|Promise)\b|log(?:ger)?\./i.test(name),
);
const statementKey = /^(?:sql|sql_?text|sql_?query|sql_?statement|query|query_?string|query_?text|statement)$/i;
const isStatement =
  /^\s*(?:select|insert|update|delete|with|create|drop|alter|truncate|explain|describe|show|pragma)\s|\bwhere\s+[\w."`]+\s*(?:=|<|>|!|in\b|like\b|is\b)|\border\s+by\s/i;

/** Statement inside a request object, as database services take it: `{ body: { query: 'select …' } }`. */
function sentStatements(call: CallSite): readonly Hit[] {
  if (!sendsRequest(call.name)) return [];
  const facts = call.args.flatMap((arg) => statementsIn(arg, 0));
  return facts.length === 0 ? [] : [{ rule: 'sql', facts, what: call.name.replace(/^\?\./, '') }];
}

function statementsIn({ fields }: Fact, depth: number): readonly Fact[] {
  if (!fields || depth > 2) return [];
  return [...fields].flatMap(([key, field]) =>
    field.fields
      ? statementsIn(field, depth + 1)
      : statementKey.test(key) && field.taints.some(({ whole }) => !whole) && isStatement.test(knownText(field))
        ? [field]
        : [],
  );
}
/** Argument that holds the statement. */
function statementOf({ name, args, named }: CallSite): Fact | undefined {
  const at = modelOf('statement-second', name)?.positions[0];
  const names = modelOf('runs-statement', lastSegment(name))?.names ?? statementNames;
  return (
    (at === undefined ? undefined : args[at]) ??
    args[0] ??
    names.map((key) => named.get(key)).find((fact) => fact !== undefined)
  );
}

/** Whether the constant parts look like SQL, or the whole string is a parameter named like a statement. */
function looksLikeSql(call: CallSite, fact: Fact): boolean {
  const known = knownText(fact);
  if (statement.test(known)) return true;
  const named = mergeTaints(taintsIn(fact)).some((taint) => taint.whole && isStatementName(taint.origin.param));
  const receiver = call.receiver?.name ?? call.name;
  return (
    named &&
    (/^execute(?:many|script)?$/.test(lastSegment(call.name)) ||
      /cursor|conn|db|pool|sql|session|engine|database|client|pg|mysql|duck/i.test(receiver))
  );
}

/** Constant parts of a string, with gaps for unknown ones. */
export const knownText = (fact: Fact): string =>
  literalsOf(fact.value) ?? (typeof fact.lead === 'string' ? fact.lead : '');

function literalsOf(value: Value | undefined): string | undefined {
  if (value?.kind === 'constant') return typeof value.value === 'string' ? value.value : undefined;
  if (value?.kind === 'text')
    return value.parts.map((part) => (typeof part === 'string' ? part : (literalsOf(part) ?? ' '))).join('');
  if (value?.kind === 'choice')
    return value.options
      .map((option) => literalsOf(option) ?? '')
      .toSorted((one, other) => other.length - one.length)[0];
  return undefined;
}

/** Whether a MongoDB filter is parsed from tainted JSON or holds code (`$where`). */
function isDocument(call: CallSite, fact: Fact): boolean {
  if (call.args.length === 0) return false;
  const where = fact.fields?.get('$where') ?? fact.fields?.get('$function') ?? fact.fields?.get('$expr');
  if (where) return true;
  const parsed = fact.name === 'json.loads()' || fact.name === 'JSON.parse()';
  return parsed && fact.taints.length > 0 && /coll|db|mongo|model/i.test(call.receiver?.name ?? call.name);
}

function ldapFilter(call: CallSite, what: string): readonly Hit[] {
  const given = [
    call.named.get('search_filter'),
    call.named.get('filterstr'),
    ...call.args.slice(1),
    ...call.args.flatMap((arg) => arg.fields?.get('filter') ?? []),
  ].filter((fact) => fact !== undefined);
  const filters = given.filter((fact) => /^\s*\(|\(\w+=/.test(knownText(fact)));
  return filters.length > 0 ? [{ rule: 'query', facts: filters, what }] : [];
}
