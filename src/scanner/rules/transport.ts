import type { Expr, Module } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { pythonCase, scriptCase } from './cases.js';
import { visitExprs, nodeLocation, servedModules } from './module-search.js';
import type { Finding, Rule, RuleContext } from './rule.js';

/** Functions that open a listener, over common frameworks. */
const listenCall =
  /(?:^|\.)(?:listen|run|run_async|run_http_async|run_sse_async|serve|start|FastMCP|MCPServer|Config|TCPSite|createServer)$/;

/** Pre-check on text. */
const anyAddress = /0\.0\.0\.0|['"]::['"]/;

/** Every listen call with a wildcard address in its arguments. */
function wildcardBindings(module: Module): Expr[] {
  const found: Expr[] = [];
  visitExprs(
    module,
    (expr) => {
      if (expr.kind !== 'call' || !listenCall.test(dottedName(expr.callee) ?? '')) return;
      const values = expr.args.flatMap(({ value }) =>
        value.kind === 'dict' ? value.entries.map((entry) => entry.value) : [value],
      );
      if (values.some((value) => value.kind === 'literal' && (value.value === '0.0.0.0' || value.value === '::')))
        found.push(expr);
    },
    (text) => anyAddress.test(text),
  );
  return found;
}

/** Finds servers that listen on all interfaces. */
export const bindAll: Rule = {
  id: 'TG-BIND-ALL',
  title: 'The server listens on all interfaces',
  severity: 'medium',
  cwe: [668, 1327],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: 'Every host on the same network can call the tools.',
  fix: 'Listen on 127.0.0.1, behind a proxy with authentication.',
  cases: [
    pythonCase(
      '',
      'mcp2 = FastMCP("b", host="0.0.0.0", port=8000)',
      'mcp2 = FastMCP("b", host="127.0.0.1", port=8000)',
    ),
    scriptCase(
      'import express from "express";',
      "const app = express();\napp.listen(3000, '0.0.0.0');",
      "const app = express();\napp.listen(3000, '127.0.0.1');",
    ),
  ],
  find: (context) =>
    servedModules(context)
      .filter((module) => anyAddress.test(module.text))
      .flatMap((module) =>
        wildcardBindings(module).map((expr): Finding => ({
          rule: bindAll.id,
          kind: 'bug',
          severity: 'medium',
          message: 'The server listens on all interfaces',
          location: nodeLocation(module, expr),
        })),
      ),
};

/** Pre-check on text. */
const mentionsOrigins = /allow_origins|Access-Control-Allow-Origin|\bcors\b/i;

/** Finds servers that any web page can call (CORS wildcard). */
export const corsAny: Rule = {
  id: 'TG-CORS-ANY',
  title: 'Any web page can call the server',
  severity: 'low',
  cwe: [942, 346],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: "A page in the user's browser can call a server on their machine and read its responses.",
  fix: 'List the allowed origins.',
  cases: [
    pythonCase(
      'from starlette.middleware.cors import CORSMiddleware\nfrom starlette.applications import Starlette',
      'app = Starlette()\napp.add_middleware(CORSMiddleware, allow_origins=["*"])',
      'app = Starlette()\napp.add_middleware(CORSMiddleware, allow_origins=["https://app.example.com"])',
    ),
    scriptCase(
      'import cors from "cors";\nimport express from "express";',
      "const app = express();\napp.use(cors({ origin: '*' }));",
      "const app = express();\napp.use(cors({ origin: 'https://app.example.com' }));",
    ),
  ],
  find: (context) =>
    servedModules(context)
      .filter((module) => module.text.length < 1_000_000 && mentionsOrigins.test(module.text))
      .flatMap((module) => {
        const found: Finding[] = [];
        const add = (expr: Expr): void =>
          void found.push({
            rule: corsAny.id,
            kind: 'bug',
            severity: 'low',
            message: 'Any web page can call the server',
            location: nodeLocation(module, expr),
          });
        visitExprs(
          module,
          (expr) => {
            if (expr.kind !== 'call') return;
            const name = dottedName(expr.callee) ?? '';
            const text = module.text.slice(expr.start, Math.min(expr.end, expr.start + 600));
            if (name === 'cors' && (expr.args.length === 0 || /origin:\s*(?:['"]\*['"]|true)/.test(text))) add(expr);
            else if (
              /add_middleware$|CORSMiddleware$|Middleware$/.test(name) &&
              /allow_origins\s*=\s*\[\s*["']\*["']/.test(text)
            )
              add(expr);
            else if (
              /(?:setHeader|header|set|writeHead)$/.test(name) &&
              /Access-Control-Allow-Origin['"]\s*[,:]\s*['"]\*['"]/i.test(text)
            )
              add(expr);
          },
          (text) => mentionsOrigins.test(text),
        );
        // A few places are enough to show the problem.
        return found.slice(0, 3);
      }),
};

/** Any sign of authentication in the code. */
const mentionsAuth =
  /\b(?:authorization|bearer|api[_-]?key|apikey|requireAuth|requireBearerAuth|auth|oauth|jwt|verify[_-]?token|session|cookie|x-api-key|TokenVerifier|BearerAuthProvider)\b/i;

/** Whether the server has tools behind HTTP. */
const isServedOverHttp = (context: RuleContext): boolean =>
  context.surface.transports.includes('http') && context.surface.tools.length > 0;

/** Finds HTTP servers without authentication. */
export const noAuth: Rule = {
  id: 'TG-HTTP-NO-AUTH',
  title: 'The HTTP server has no authentication',
  severity: 'low',
  cwe: [306],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: 'A local port is accessible to every program and, through the browser, to every web page.',
  fix: 'Require a token on every request, or use stdio.',
  cases: [
    {
      language: 'python',
      bad: 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("demo")\n\n@mcp.tool()\ndef add(a: int) -> int:\n    return a\n\nif __name__ == "__main__":\n    mcp.run(transport="streamable-http")\n',
      good: 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("demo")\n\n@mcp.tool()\ndef add(a: int) -> int:\n    return a\n\nif __name__ == "__main__":\n    mcp.run()\n',
    },
  ],
  find: (context) => {
    if (!isServedOverHttp(context)) return [];
    const modules = servedModules(context);
    // The absence of every sign is weak evidence, hence the low severity.
    if (context.surface.authSignals.length > 0 || modules.some((module) => mentionsAuth.test(module.text))) return [];
    const [tool] = context.surface.tools;
    const file = tool?.location.file ?? modules[0]?.path ?? '.';
    return [
      {
        rule: noAuth.id,
        kind: 'bug',
        severity: 'low',
        message: 'The server uses HTTP and its code contains no authentication',
        location: { file, startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
      },
    ];
  },
};

/** Finds HTTP transports without a Host or Origin check (DNS rebinding). */
export const noOrigin: Rule = {
  id: 'TG-NO-ORIGIN-CHECK',
  title: 'The HTTP transport does not check Host or Origin',
  severity: 'low',
  cwe: [346, 350],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: "With DNS rebinding a web page calls a server on the user's machine as if it were the page's own origin.",
  fix: 'Set allowedHosts and enableDnsRebindingProtection, or check Origin and Host before the transport handles a request.',
  cases: [
    scriptCase(
      'import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";',
      'const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });\nawait server.connect(transport);',
      'const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableDnsRebindingProtection: true, allowedHosts: ["127.0.0.1:3000"] });\nawait server.connect(transport);',
    ),
  ],
  find: (context) =>
    servedModules(context)
      .filter((module) => module.language !== 'python' && module.text.length < 600_000)
      .flatMap((module) => {
        const found: Finding[] = [];
        if (
          /allowedHosts|enableDnsRebindingProtection|allowedOrigins|\borigin\b|hostHeaderValidation|createMcpExpressApp/i.test(
            module.text,
          )
        )
          return found;
        visitExprs(
          module,
          (expr) => {
            if (
              expr.kind === 'call' &&
              expr.isNew &&
              /^(?:StreamableHTTPServerTransport|SSEServerTransport)$/.test(dottedName(expr.callee) ?? '')
            )
              found.push({
                rule: noOrigin.id,
                kind: 'bug',
                severity: 'low',
                message: 'This transport accepts any Host and Origin header',
                location: nodeLocation(module, expr),
              });
          },
          (text) => text.includes('ServerTransport'),
        );
        return found.slice(0, 1);
      }),
};
