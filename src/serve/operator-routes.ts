import type { JsonObject } from '../core/json.js';
import { replayRules } from '../access/configured/replay.js';
import type { RecordedCall } from '../access/configured/replay.js';
import { parseYaml } from '../config/parse-yaml.js';
import { connectAccess } from '../assistants/connect-access.js';
import { stdioReach } from '../assistants/reach.js';
import { owner } from '../access/identity/credentials.js';
import { accessOf } from '../access/configured/tool-access.js';
import { keyAccess } from '../access/configured/key-access.js';
import { scanCache } from '../admission/scan/cache.js';
import { scanHistory } from '../admission/scan/scan-history.js';
import { sourceAccess } from '../admission/source-access.js';
import { doctorChecks } from '../doctor/checks.js';
import { guardOrder, guardsByCode } from '../guards/pipeline.js';
import { auditAccess, callRecords } from '../observe/audit/audit-access.js';
import type { StageLog } from '../observe/stage-log.js';
import { auditRoutes } from '../transports/http/operate/audit.js';
import { callRoutes } from '../transports/http/operate/calls.js';
import { connectRoutes } from '../transports/http/operate/connect.js';
import { doctorRoute } from '../transports/http/operate/doctor.js';
import { toolAccessRoute } from '../transports/http/operate/tool-access.js';
import { historyRoute } from '../transports/http/operate/history.js';
import { keyRoutes } from '../transports/http/operate/keys.js';
import { policyRoutes } from '../transports/http/operate/policy.js';
import { sourceRoutes } from '../transports/http/operate/sources.js';
import type { Route } from '../transports/http/edge/route.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';

/** Sources of a gate as its routes and the command line show them. */
export const sourceAccessOf = (gate: Gate, home: Home): ReturnType<typeof sourceAccess> =>
  sourceAccess({
    configured: () => gate.config().sources,
    health: () => gate.registry.health(),
    withheld: () => gate.registry.withheld(),
    tools: () => gate.registry.catalogue().tools.values(),
    refresh: (signal, id) => gate.registry.refresh(signal, id),
    admission: gate.admission,
    pins: gate.pins,
    scans: scanCache(home.scans),
    history: scanHistory(home.scans),
    sources: () => gate.registry.sources(),
    record: gate.record,
    lines: gate.sourceLines,
  });

/** Routes by which people operate the gateway; the console and scripts use the same. */
export function operatorRoutes(gate: Gate, home: Home, stages: StageLog): readonly Route[] {
  // Guards in their order, for the waterfall of a call; `run` is the tool itself.
  const records = callRecords(home.audit, gate.recent, (call) => stages.stagesOf(call), [
    ...guardOrder.map(({ name }) => name),
    'run',
  ]);
  return [
    ...callRoutes(records),
    ...auditRoutes(auditAccess(home.audit)),
    ...sourceRoutes(sourceAccessOf(gate, home)),
    ...keyRoutes(
      keyAccess({
        keys: gate.keys,
        sessions: gate.sessions,
        config: gate.config,
        // Only the latest call is of interest, and the list is newest first.
        lastCall: (principal) => gate.recent.list((record) => record.principal === principal, 1)[0]?.at,
        record: gate.record,
      }),
    ),
    ...policyRoutes({
      rules: () => {
        const { policy, flows } = gate.config();
        const hits = gate.recent.hits();
        const withHits = (rules: readonly { readonly id: string }[]) =>
          rules.map((rule) => ({ ...rule, hits: hits.get(rule.id) ?? 0 }));
        return {
          rules: withHits(policy.rules),
          flow_rules: withHits(flows.rules),
          default_hits: hits.get('default') ?? 0,
        };
      },
      replay: (draft, calls) => replayPolicy(gate, home, draft, calls),
    }),
    historyRoute(gate.history, guardsByCode),
    toolAccessRoute((name) => {
      const tool = gate.registry.catalogue().tools.get(name);
      return (
        tool &&
        gate
          .callers()
          .all()
          .map((principal) => accessOf(gate.rules(), tool, principal))
      );
    }),
    doctorRoute(async () =>
      // As the owner: a deployment check is about all tools, not those of the caller.
      (await doctorChecks(gate, gate.gateway.statuses({ principal: owner }), gate.env)).map((check) => ({ ...check })),
    ),
    ...connectRoutes(
      connectAccess({ stdio: () => stdioReach(gate.file, gate.env), seen: () => gate.clients.list() }),
      // The Host header was checked against the allowed names before; a proxy with TLS is named by auth.resource.
      (host) => gate.config().auth.resource ?? `http://${host}${gate.config().server.mcp_path}`,
    ),
  ];
}

/** Decides the newest recorded calls by draft rules, YAML or JSON, without installing them; a text is the problem with the draft. */
export async function replayPolicy(gate: Gate, home: Home, draft: string, calls: number): Promise<JsonObject | string> {
  const parsed = parseYaml(draft);
  if (!parsed.ok) return parsed.problem;
  const records = callRecords(home.audit, gate.recent, () => undefined);
  // Without a beginning: rules are tried against everything that the audit still has.
  const recorded = await records.list({ limit: calls, since: '1970-01-01T00:00:00.000Z' });
  // Only calls have all of these fields; the audit wrote them.
  return replayRules(parsed.value, recorded as unknown as readonly RecordedCall[], {
    config: gate.config(),
    flows: gate.rules().flows,
    labelsOf: gate.rules().labelsOf,
    tools: gate.registry.catalogue().tools,
    findPrincipal: (id) => gate.callers().known(id),
  });
}
