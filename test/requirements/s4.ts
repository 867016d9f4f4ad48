/** What the founding document on surface extraction asks, with its known mistakes put right. */
export const s4 = [
  {
    id: 'S4.1',
    says: 'Tools, resources, prompts, transports and signs of authentication are read from source that is never run',
  },
  { id: 'S4.2', says: 'A surface holds tools, resources, prompts, transport and auth signals' },
  {
    id: 'S4.3',
    says: 'A tool has name, description, schema, handler, decorators and location; resources and prompts alike',
  },
  { id: 'S4.4', says: 'A transport is stdio, http or websocket, or unknown; upper case in text' },
  { id: 'S4.5', says: 'An auth signal is of type cookie, header or oauth_state, with name and place' },
  {
    id: 'S4.6',
    says: 'Every SDK is told by its import, deep paths, v2 packages and npm fastmcp included, and all of them are reported',
  },
  { id: 'S4.7', says: 'A decorator counts when its receiver is an SDK object, whatever the variable is called' },
  { id: 'S4.8', says: 'The description is the given one, then the docstring' },
  {
    id: 'S4.9',
    says: 'Functions that look like tools by name are marked heuristic, only beside an SDK import, and can be left out',
  },
  { id: 'S4.10', says: 'Module functions and class methods are both seen' },
  { id: 'S4.11', says: 'Transports come from start calls, imports count by whole words' },
  { id: 'S4.12', says: 'Transports of all files are united, in any order of files' },
  { id: 'S4.13', says: 'Auth signals match whole words of called names and carry the line that says so' },
  { id: 'S4.14', says: 'Parameters of tool handlers are where taint starts' },
  { id: 'S4.15', says: 'Descriptions are checked for instructions to the model' },
  {
    id: 'S4.16',
    says: 'The JSON form has the laid-down fields; a tool is placed at its decorator, its handler at the def',
  },
  { id: 'S4.17', says: 'The text form has the laid-down lines' },
  { id: 'S4.18', says: 'The example server gives exactly its three tools, stdio and no auth signals' },
  {
    id: 'S4.19',
    says: 'Programmatic, aliased and low-level registrations are followed, and what is not understood is said',
  },
  { id: 'S4.20', says: 'Plugins are scanned before they first start and compared with what they really offer' },
] as const;
