import { unavailableTool } from '../core/stand-in.js';

/** Stand-ins for what a caller cannot use: they pass the guards, so that the refusal is recorded like any other. */
export const unknownTool = unavailableTool('unknown', { code: 'not_found', message: 'Tool not found/disabled' });
export const forbiddenTool = unavailableTool('unknown', { code: 'forbidden', message: 'Tool not found/disabled' });
export const stopping = unavailableTool('unknown', { code: 'shutting_down', message: 'The gateway is stopping' });
export const noResource = unavailableTool('resources/read', { code: 'not_found', message: 'Resource not found' });
export const noCompletion = unavailableTool('completion/complete', {
  code: 'not_found',
  message: 'No completion available',
});
export const noSubscription = unavailableTool('resources/subscribe', {
  code: 'not_found',
  message: 'Resource not found',
});
export const noPrompt = unavailableTool('prompts/get', { code: 'not_found', message: 'Prompt not found' });
