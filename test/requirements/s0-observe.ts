/** What the first founding document asks of health, metrics, events, logs and shutdown. */
export const s0Observe = [
  { id: 'S0.108', says: 'GET /metrics gives Prometheus text with the right content type, or JSON to who accepts JSON' },
  { id: 'S0.113', says: 'Recording metrics never delays an answer' },
  { id: 'S0.119', says: 'Calls have an active gauge, an execution counter, a duration histogram and an error counter; the gauge returns to zero on every path' },
  { id: 'S0.120', says: 'Custom metrics have labels whose values come from closed sets' },
  { id: 'S0.122', says: 'The log knows its events by name and level, and keeps secret values out' },
] as const;
