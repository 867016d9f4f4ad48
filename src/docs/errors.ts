import { errors, type ErrorBehaviour } from '../core/errors.js';
import { table, yesNo } from './markdown.js';

/** `docs/errors.md`: how every error code behaves, and what it means. */
export function errorsPage(): string {
  const rows: readonly (readonly [string, ErrorBehaviour])[] = Object.entries(errors);
  return `# Errors

Every refusal and failure has one of these codes. REST answers with the HTTP status and the type; MCP answers with a
tool result that says \`isError\`, or with a JSON-RPC error where the request itself was at fault. The audit keeps the code.

${table(
  ['Code', 'Type', 'HTTP', 'MCP', 'Retry may help', 'Trips the breaker'],
  rows.map(([code, one]) => [
    `[\`${code}\`](#${code})`,
    `\`${one.type}\``,
    String(one.status),
    mcpForm(one),
    yesNo(one.retryable),
    yesNo(one.tripsBreaker),
  ]),
)}

${rows.map(([code, one]) => `## ${code}\n\n${one.means}\n\n**What to do:** ${one.recovery}`).join('\n\n')}
`;
}

const mcpForm = ({ mcp }: ErrorBehaviour): string => (mcp === 'result' ? 'result' : `error ${mcp.protocol}`);
