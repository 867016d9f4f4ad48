/** Names that the first design gave to tools, with the tools of today; accepted wherever a tool is named. */
const toolAliases: ReadonlyMap<string, string> = new Map([
  ['NmapTool', 'nmap'],
  ['PingTool', 'ping'],
  ['CurlTool', 'http_fetch'],
  ['TracerouteTool', 'traceroute'],
  ['DigTool', 'dig'],
  ['WhoisTool', 'whois'],
  ['TlsInspectTool', 'tls_inspect'],
  ['HttpFetchTool', 'http_fetch'],
  ['HashcatTool', 'hashcat'],
]);

/** The name of the tool that an alias stands for; any other name is returned as it is. */
export const resolveToolAlias = (name: string): string => toolAliases.get(name) ?? name;
