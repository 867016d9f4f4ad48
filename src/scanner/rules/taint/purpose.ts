import type { Flow } from '../../taint/run.js';
import type { ToolEntry } from '../../taint/sources/sources.js';

const commandParam =
  /^(?:command|commands|cmd|cmds|commandline|command_line|shell_command|script|bash|shell|program|executable|app|application|stdin|args|argv)$/i;
const codeParam = /^(?:(?:\w+_)?code|script|python|javascript|js|source|source_code|snippet|program)$/i;
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
/** A parameter that is documented as code: a function or expression in a programming language. */
const takesCode =
  /\b(?:python|javascript|typescript|lua|ruby)\b[^.\n]{0,20}\b(?:code|functions?|expressions?|lambdas?)\b/i;
const runsSql = /\bsql\b|quer(?:y|ies)|database|\bdb\b|select statement/i;
const fetches =
  /fetch|url|web|page|http|download|scrap|crawl|brows|site|request|link|rss|feed|navigate|screenshot|open/i;

/**
 * Classifies a flow against the tool's stated purpose. A shell, SQL or fetch tool is a capability for the user to accept
 * or reject, not a bug; a failing check shows that the author intended less than the code allows.
 */
export function purposeOf(flow: Flow): Purpose {
  if (!isByDesign(flow)) return 'beyond';
  if (flow.isChecked && (flow.rule === 'command' || flow.rule === 'code')) return 'fenced';
  return exceedsDescription(flow) ? 'exceeds' : 'by design';
}

/** By design; behind a check that could not be verified (`fenced`); further than the description states (`exceeds`); or for another purpose. */
type Purpose = 'by design' | 'fenced' | 'exceeds' | 'beyond';

const readsOnly =
  /\bread[- ]?only\b|\bonly (?:select|read)|\bselect (?:queries|query|statements?)? ?(?:only|are allowed|is allowed)|\bexecutes? (?:a )?select\b/i;
const writesToo = /\b(?:insert|update|delete|create|alter|drop|write|ddl|dml|any sql|arbitrary)\b/i;
/** A connection or transaction that the database itself keeps from writing. */
const enforcedReadOnly =
  /read[ _-]?only|mode=ro\b|query_only|READ ONLY|readonly|SELECT_ONLY|isReadOnly|is_read_only|startswith\(\s*\(?["']SELECT|startsWith\(['"]SELECT/i;
/** Commands of one program, or of a list: less than a shell. */
const limitedCommands =
  /\b(?:git|npm|pnpm|yarn|pip|docker|kubectl|helm|terraform|gcloud|adb|ffmpeg|cargo|make)\b(?: cli)? commands?\b|\b(?:safe|allow-?listed|white-?listed|allowed|approved|permitted|pre-?approved)\b[^.]{0,30}\bcommands?\b|\bcommands?\b[^.]{0,20}\b(?:allow-?list|white-?list)\b/i;
const anyCommand = /\b(?:any|arbitrary|shell|bash|terminal|system) commands?\b/i;
/** Words by which a description states that any address may be opened. */
const statesAddresses =
  /\b(?:urls?|uris?|links?|web ?pages?|web ?sites?|https?|the web|internet|feeds?|rss|endpoints?|brows(?:e|es|er|ing)|crawls?|scrapes?|downloads?|navigates?|fetch(?:es)?)\b/i;

/** Whether the code reaches further than the description states: a read-only query that runs everything, a git tool with a shell. */
function exceedsDescription({ rule, entry, isChecked, at }: Flow): boolean {
  const { description, name } = entry;
  if (description.trim() === '') return false;
  switch (rule) {
    case 'sql': {
      const source = entry.handler.module.path === at.file ? entry.handler.module.text : '';
      const code = source
        .replaceAll(description, '')
        .replaceAll(/"description"|description\s*[:=]\s*(?:'[^'\n]*'|"[^"\n]*"|`[^`]*`)|"{3}[\s\S]*?"{3}/g, '');
      return (
        !isChecked &&
        source !== '' &&
        readsOnly.test(description) &&
        !writesToo.test(description) &&
        !enforcedReadOnly.test(code)
      );
    }
    case 'command':
      return (
        limitedCommands.test(`${description}`) && !(anyCommand.test(description) && !/\bsafe|allow/i.test(description))
      );
    case 'url':
      return !statesAddresses.test(`${description} ${name.replaceAll(/[-_]/g, ' ')}`);
    default:
      return false;
  }
}

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
      return (
        codeParam.test(param) &&
        ((runsCode.test(description) && (whole || runsCode.test(name))) || (whole && takesCode.test(description)))
      );
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
