import type { Flow } from '../taint/run.js';
import type { ToolEntry } from '../taint/sources/sources.js';

const commandParam =
  /^(?:command|commands|cmd|cmds|commandline|command_line|shell_command|script|bash|shell|program|executable|app|application|stdin|args|argv)$/i;
const codeParam = /^(?:code|script|python|python_code|javascript|js|source|source_code|snippet|program|js_code)$/i;
const sqlParam = /(?:^|_)(?:sql|query|statement|stmt|sql_query|queries|cypher)$/i;
/** Names of parameters that hold a statement, not a search term. */
const statementParam = /(?:^|_)(?:sql|sql_query|statement|stmt|cypher)$/i;
/** Names of parameters that hold a clause written by the caller. */
const clauseParam = /^(?:raw_?)?(?:where|having)(?:_?clauses?|_?conditions?)?$/i;
const urlParam = /(?:^|_)(?:urls?|uri|link|links|endpoint|href|website|page|site|webpage|feed|address)$|Url$|URL$|Uri$/;

const runsCommands =
  /(?:run|exec|execute|invoke|start)[-_ ]?\w*[-_ ]?(?:command|cmd|shell|bash|terminal|process|script|powershell)|(?:^|[-_ ])(?:shell|terminal|bash|powershell|ssh)(?:$|[-_ ])|(?:shell|system|terminal) commands?|(?:launch|open|start|run)\w*[-_ ](?:an? |the )?(?:\w+ )?(?:app|application|executable|program)/i;
const runsCode =
  /(?:run|exec|execute|eval|evaluate|interpret)[-_ ]?\w*[-_ ]?(?:code|python|javascript|js|script|snippet|program)|code[-_ ]?(?:interpreter|runner|execution)|repl\b|sandbox/i;
const runsSql = /\bsql\b|quer(?:y|ies)|database|\bdb\b|select statement/i;
const fetches =
  /fetch|url|web|page|http|download|scrap|crawl|brows|site|request|link|rss|feed|navigate|screenshot|open/i;

/**
 * Classifies a flow against the tool's stated purpose. A shell, SQL or fetch tool is a capability for the user to accept
 * or reject, not a bug; a failing check shows that the author intended less than the code allows.
 */
export function purposeOf(flow: Flow): Purpose {
  const isIntended = isByDesign(flow);
  return isIntended && !(flow.isChecked && (flow.rule === 'command' || flow.rule === 'code'))
    ? 'by design'
    : isIntended
      ? 'fenced'
      : 'beyond';
}

/** By design; by design behind a check that could not be verified (`fenced`); or beyond the stated purpose. */
type Purpose = 'by design' | 'fenced' | 'beyond';

function isByDesign(flow: Flow): boolean {
  const { entry, param, rule, whole, lead } = flow;
  const name = entry.name;
  const description = `${name} ${entry.description.slice(0, 600)}`;
  switch (rule) {
    case 'command':
      return (
        commandParam.test(param) &&
        runsCommands.test(description) &&
        (whole || (typeof lead !== 'string' && runsCommands.test(name)))
      );
    case 'code':
      // Code is often wrapped in a function before it runs; a tool named for running code still does so by design.
      return codeParam.test(param) && runsCode.test(description) && (whole || runsCode.test(name));
    case 'sql':
      return (
        runsSql.test(description) && (clauseParam.test(param) || (sqlParam.test(param) && isStatementItself(flow)))
      );
    case 'url':
      return whole && urlParam.test(param) && fetches.test(description);
    default:
      return false;
  }
}

/** A tool named for running code, with a code parameter. Names of command tools prove nothing: the command may run on another device. */
export const isCodeRunner = ({ kind, name, schema }: ToolEntry): boolean =>
  kind === 'tool' &&
  runsCode.test(name) &&
  Object.keys(schema?.properties ?? {}).some((param) => codeParam.test(param));

/** A tool named for running SQL: the statement may go to a service that is not recognised as a database. */
export const isSqlRunner = ({ kind, name }: ToolEntry): boolean =>
  kind === 'tool' && /(?:^|[-_ ])(?:exec|execute|run)[-_ ]?(?:raw[-_ ]?)?sql(?:$|[-_ ])/i.test(name);

const isStatementItself = ({ param, whole, lead }: Flow): boolean =>
  whole || statementParam.test(param) || wrapsStatement(lead);

/** After `EXPLAIN …`, `SELECT … FROM (…)` or nothing, the caller's text is still the whole statement. */
const wrapsStatement = (lead: string | true | undefined): boolean =>
  lead === undefined ||
  (typeof lead === 'string' && /^\s*(?:(?:explain|profile|describe)\b[^'"=]*|[^'"=]*\bfrom\s*\()\s*$/i.test(lead));
