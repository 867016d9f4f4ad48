import { errors, type ErrorBehaviour } from '../core/errors.js';
import { markdownTable, yesNo } from './markdown.js';

/** `docs/errors.md`: behaviour and meaning of every error code. */
export function errorsPage(): string {
  const rows: readonly (readonly [string, ErrorBehaviour])[] = Object.entries(errors);
  return `# Errors

Every refusal and failure has one of these codes. REST returns the HTTP status and the type; MCP returns a tool result with
\`isError\`, or a JSON-RPC error if the request itself was invalid. The audit records the code.

${markdownTable(
  ['Code', 'Type', 'HTTP', 'MCP', 'Retry may help', 'Trips the breaker', 'Audit'],
  rows.map(([code, one]) => [
    `[\`${code}\`](#${code})`,
    `\`${one.type}\``,
    String(one.status),
    mcpForm(one),
    yesNo(one.retryable),
    yesNo(one.tripsBreaker),
    one.decision,
  ]),
)}

${rows.map(([code, one]) => `## ${code}\n\n${one.meaning}\n\n**What to do:** ${one.recovery}`).join('\n\n')}
`;
}

const mcpForm = ({ mcp }: ErrorBehaviour): string => (mcp === 'result' ? 'result' : `error ${mcp.protocol}`);
