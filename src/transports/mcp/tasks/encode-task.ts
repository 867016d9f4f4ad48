import type { JsonObject } from '../../../core/json.js';
import type { TaskRecord } from './task-store.js';

const pollMs = 1_000;

/** Task in the format of the 2026 extension. */
export const toModernTask = (record: TaskRecord): JsonObject => ({
  taskId: record.id,
  status: record.status,
  ...(record.message !== undefined && { statusMessage: record.message }),
  createdAt: record.createdAt,
  lastUpdatedAt: record.updatedAt,
  ttlMs: record.ttlMs,
  pollIntervalMs: pollMs,
});

/** Task in the format of 2025-11-25, where a failed tool means a failed task. */
export const toLegacyTask = (record: TaskRecord): JsonObject => ({
  taskId: record.id,
  status: record.status === 'completed' && record.toolFailed === true ? 'failed' : record.status,
  ...(record.message !== undefined && { statusMessage: record.message }),
  createdAt: record.createdAt,
  lastUpdatedAt: record.updatedAt,
  ttl: record.ttlMs,
  pollInterval: pollMs,
});
