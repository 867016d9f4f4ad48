import { walk } from './row.js';
import { registration } from './s3/registration.js';
import { sessions } from './s3/sessions.js';

walk('S3', 'Upstream MCP servers', [...registration, ...sessions]);
