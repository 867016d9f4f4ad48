import { errors, type ToolError } from './errors.js';

/** What to do about an error: its own hint, else the table's. */
export const recoveryOf = (error: ToolError): string => error.hint ?? errors[error.code].recovery;

/** The same for a model, which has the schema of the tool and no command line. */
export const recoveryForModel = (error: ToolError): string =>
  error.hint === undefined && error.code === 'invalid_arguments'
    ? 'Compare the arguments with the input schema of the tool and send the call again.'
    : recoveryOf(error);
