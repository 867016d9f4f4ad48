/** What the first founding document asks of health, metrics, events, logs and shutdown. */
export const s0Observe = [
  {
    id: 'S0.107',
    says: 'GET /health gives status, checks and summary; only unhealthy is 503, degraded is 200 and says so',
  },
  { id: 'S0.108', says: 'GET /metrics gives Prometheus text with the right content type, or JSON to who accepts JSON' },
  {
    id: 'S0.109',
    says: 'GET /events tells health and then metrics every five seconds and stops when the client leaves',
  },
  { id: 'S0.113', says: 'Recording metrics never delays an answer' },
  { id: 'S0.116', says: 'Each tool is an informational check: no program is unhealthy, an open breaker is degraded' },
  {
    id: 'S0.117',
    says: 'Checks have priorities that decide the whole, run every 30 s and must answer in 10 s; a busy machine only informs',
  },
  { id: 'S0.118', says: 'Custom health checks can be added with name, function and priority' },
  {
    id: 'S0.119',
    says: 'Calls have an active gauge, an execution counter, a duration histogram and an error counter; the gauge returns to zero on every path',
  },
  { id: 'S0.120', says: 'Custom metrics have labels whose values come from closed sets' },
  {
    id: 'S0.121',
    says: 'SIGINT and SIGTERM stop in order: nothing new, running calls within the grace, then their trees; exit code 0, no orphan',
  },
  { id: 'S0.122', says: 'The log knows its events by name and level, and keeps secret values out' },
] as const;
