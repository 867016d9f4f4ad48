import type { HealthReport } from '../../core/gateway.js';
import type { Json } from '../../core/json.js';
import { guardHeaders, sendJson } from './respond.js';
import type { Exchange, Route } from './route.js';
import { stranger } from './route.js';

/** What the operating routes ask of the gateway. */
export interface Operations {
  health(): Promise<HealthReport>;
  /** Why no calls are taken now, if so. */
  notReady(): string | undefined;
  metricsText(): Promise<{ readonly contentType: string; readonly body: string }>;
  metricsJson(): Promise<Json>;
  /** The configuration in force, with every secret taken out. */
  config(): Json;
  readonly openMetrics: boolean;
  readonly openHealth: boolean;
}

/** Health, readiness, metrics and configuration, for those who run the gateway. */
export function opsRoutes(operations: Operations): readonly Route[] {
  const health = async ({ res, principal }: Exchange): Promise<void> => {
    const report = await operations.health();
    const status = report.status === 'unhealthy' ? 503 : 200;
    // What runs here and how it fares is nobody's business without a credential.
    if (principal === stranger && !operations.openHealth) return sendJson(res, status, { status: report.status });
    return sendJson(res, status, { ...report, timestamp: new Date().toISOString(), transport: 'http' });
  };

  return [
    {
      method: 'GET',
      path: '/livez',
      auth: 'open',
      doc: { summary: 'The process answers', responses: { 200: { description: 'It does' } } },
      handle: ({ res }) => sendJson(res, 200, { status: 'alive' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      auth: 'open',
      doc: {
        summary: 'Calls are taken',
        responses: { 200: { description: 'They are' }, 503: { description: 'Not now' } },
      },
      handle({ res }) {
        const why = operations.notReady();
        return why === undefined
          ? sendJson(res, 200, { status: 'ready' })
          : sendJson(res, 503, { status: 'not ready', reason: why });
      },
    },
    {
      method: 'GET',
      path: '/health',
      auth: 'optional',
      doc: {
        summary: 'How the gateway fares; details only with a credential',
        responses: { 200: { description: 'healthy or degraded' }, 503: { description: 'unhealthy' } },
      },
      handle: health,
    },
    {
      method: 'GET',
      path: '/metrics',
      auth: operations.openMetrics ? 'open' : 'principal',
      doc: {
        summary: 'Prometheus text, or JSON by Accept',
        responses: { 200: { description: 'The metrics', type: 'text/plain' } },
      },
      async handle({ req, res }) {
        if ((req.headers.accept ?? '').includes('application/json'))
          return sendJson(res, 200, await operations.metricsJson());
        const { contentType, body } = await operations.metricsText();
        res.writeHead(200, { ...guardHeaders, 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
        res.end(body);
        return undefined;
      },
    },
    {
      method: 'GET',
      path: '/config',
      auth: 'admin',
      doc: {
        summary: 'The configuration in force, without secrets',
        responses: { 200: { description: 'The configuration' } },
      },
      handle: ({ res }) => sendJson(res, 200, operations.config()),
    },
  ];
}
