import type { HealthReport } from '../../core/gateway.js';
import type { Json } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { sendJson } from './edge/respond.js';
import type { HttpContext, Route } from './edge/route.js';
import { anonymous } from './edge/route.js';

/** Data sources of the operations routes. */
interface Operations {
  /** The report as this principal may see it. */
  health(principal: Principal): Promise<HealthReport>;
  /** Reason why the gateway does not accept calls; undefined if it does. */
  notReady(): string | undefined;
  /** The metrics as this principal may see them. */
  metricsText(principal: Principal): Promise<{ readonly contentType: string; readonly body: string }>;
  metricsJson(principal: Principal): Promise<Json>;
  /** Active configuration, with secrets redacted. */
  config(): Json;
  /** Read for each request. */
  readonly openMetrics: boolean;
  readonly openHealth: boolean;
}

/** Routes for health, readiness, metrics and the active configuration. */
export function opsRoutes(operations: Operations): readonly Route[] {
  const health = async ({ res, principal }: HttpContext): Promise<void> => {
    const report = await operations.health(principal);
    // A degraded gateway still answers 200: a balancer must not remove it for one failing source.
    const status = report.status === 'unhealthy' ? 503 : 200;
    // Without a credential only the overall status is shown: check names reveal which tools are installed.
    if (principal === anonymous && !operations.openHealth) return sendJson(res, status, { status: report.status });
    return sendJson(res, status, { ...report, timestamp: new Date().toISOString(), transport: 'http' });
  };

  return [
    {
      method: 'GET',
      path: '/livez',
      auth: 'open',
      doc: { summary: 'Liveness: the process is running', responses: { 200: { description: 'Alive' } } },
      // Checks nothing: a liveness probe that depends on other systems restarts healthy processes.
      handle: ({ res }) => sendJson(res, 200, { status: 'alive' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      auth: 'open',
      doc: {
        summary: 'Readiness: the gateway accepts calls',
        responses: { 200: { description: 'Ready' }, 503: { description: 'Not ready' } },
      },
      handle({ res }) {
        const reason = operations.notReady();
        return reason === undefined
          ? sendJson(res, 200, { status: 'ready' })
          : sendJson(res, 503, { status: 'not ready', reason });
      },
    },
    {
      method: 'GET',
      path: '/health',
      auth: 'optional',
      doc: {
        summary: 'Health of the gateway; details only with a credential',
        responses: { 200: { description: 'healthy or degraded' }, 503: { description: 'unhealthy' } },
      },
      handle: health,
    },
    {
      method: 'GET',
      path: '/metrics',
      // A getter, so that a reload applies to the next request.
      get auth() {
        return operations.openMetrics ? 'open' : 'principal';
      },
      doc: {
        summary: 'Prometheus text, or JSON by Accept',
        responses: { 200: { description: 'The metrics', type: 'text/plain' } },
      },
      async handle({ req, res, principal }) {
        if ((req.headers.accept ?? '').includes('application/json'))
          return sendJson(res, 200, await operations.metricsJson(principal));
        const { contentType, body } = await operations.metricsText(principal);
        res.writeHead(200, {
          'content-type': contentType,
          'content-length': Buffer.byteLength(body),
        });
        res.end(body);
        return undefined;
      },
    },
    {
      method: 'GET',
      path: '/config',
      auth: 'admin',
      doc: {
        summary: 'The active configuration, without secrets',
        responses: { 200: { description: 'The configuration' } },
      },
      handle: ({ res }) => sendJson(res, 200, operations.config()),
    },
  ];
}
