/** What the third founding document asks of functions called over HTTP. */
export const s2 = [
  {
    id: 'S2.1',
    says: 'A function is called by POST with its name and arguments in JSON; the JSON that comes back is the output',
  },
  { id: 'S2.2', says: 'A function has a name, an address, headers and a time limit' },
  {
    id: 'S2.3',
    says: 'The host of an address is one of the allowed domains or below one, in any spelling; addresses, ports, schemes and redirects are vetted too',
  },
  { id: 'S2.4', says: 'The domain * works only with an explicit insecure switch and is an error otherwise' },
  {
    id: 'S2.5',
    says: 'An answer above the limit is an error; decoded bytes are counted while they stream, and unpacking is bounded',
  },
  { id: 'S2.6', says: 'A call that may be repeated has three attempts unless configured, never less than one' },
  { id: 'S2.7', says: 'An attempt has ten seconds unless configured' },
  {
    id: 'S2.8',
    says: 'Five failures in a row open the breaker of an address for a minute; an open one refuses at once',
  },
  { id: 'S2.9', says: 'A half-open breaker lets exactly one probe through' },
  { id: 'S2.10', says: 'A success starts the count of failures again' },
  {
    id: 'S2.11',
    says: 'Waits double from half a second to five with full jitter; only safe failures of repeatable calls are tried again, within one deadline',
  },
  { id: 'S2.12', says: 'Anything but 2xx is a failure, and a 4xx does not count towards the breaker' },
  {
    id: 'S2.13',
    says: 'A tool is made of name, function, address, headers, description, category and parameters, with defaults',
  },
  { id: 'S2.14', says: 'Functions are declared in YAML with typed parameters; enum and default are honoured' },
  { id: 'S2.15', says: 'Without parameters there is one optional object that is passed through' },
  { id: 'S2.16', says: 'A tool tells its version, its time limit, its category and that it is not sandboxed' },
  { id: 'S2.17', says: 'A result is success, output and error' },
  { id: 'S2.18', says: 'Header values refer to variables; an unset one stops the load, and no secret is ever shown' },
  { id: 'S2.19', says: 'Secrets written out in the configuration are flagged' },
  { id: 'S2.20', says: 'A tool is added by editing the file, without code and without a restart' },
  {
    id: 'S2.21',
    says: 'Timeouts and HTTP errors have their fixed words, the latter with the first 200 characters of the answer',
  },
  { id: 'S2.22', says: 'A function server can be asked for its functions, and each becomes a tool' },
  { id: 'S2.25', says: 'Tools carry hints about what they may do; reads may be offered as resources' },
  { id: 'S2.30', says: 'An audit of the configuration flags chosen hosts, long waits, open domains and huge limits' },
  {
    id: 'S2.31',
    says: 'Breakers are logged and measured, thresholds are set by address, and the state is kept in memory by decision',
  },
  { id: 'S2.32', says: 'Calls need no session and no affinity' },
  { id: 'S2.33', says: 'Every source can be tried with one curl command' },
] as const;
