import type { JsonObject } from '../../../core/json.js';
import type { OutputParser } from '../definition.js';
import { parseXml, type XmlElement } from '../output/xml.js';

/** Schema of one port. */
const portSchema = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    port: { type: 'integer' },
    protocol: { type: 'string' },
    state: { type: 'string' },
    service: { type: 'string' },
    product: { type: 'string' },
    version: { type: 'string' },
    scripts: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, output: { type: 'string' } },
        required: ['id', 'output'],
      },
    },
  },
  required: ['host', 'port', 'protocol', 'state', 'service'],
} as const;

/** Parses the XML output of `nmap -oX -`. */
export const nmapOutput: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      hosts_up: { type: 'integer' },
      hosts_total: { type: 'integer' },
      elapsed_sec: { type: 'number' },
      hosts: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            address: { type: 'string' },
            state: { type: 'string' },
            hostnames: { type: 'array', items: { type: 'string' } },
            os: { type: 'array', items: { type: 'string' } },
          },
          required: ['address', 'state', 'hostnames'],
        },
      },
      ports_found: { type: 'array', items: portSchema },
    },
    required: ['hosts_up', 'hosts_total', 'hosts', 'ports_found'],
  },
  read({ stdout }) {
    const result = parseXml(stdout);
    // Another root element: nmap printed an error instead of a report.
    if (!result.ok || result.root.name !== 'nmaprun') return {};
    const stats = findChild(findChild(result.root, 'runstats'), 'hosts');
    const hosts = findChildren(result.root, 'host');
    const ports = hosts.flatMap(toPorts);
    const up = numberAttribute(stats, 'up');
    const elapsed = numberAttribute(findChild(findChild(result.root, 'runstats'), 'finished'), 'elapsed');
    const open = ports.filter((found) => found['state'] === 'open').length;
    return {
      parsed: {
        // An aborted scan has no statistics; the hosts are counted instead.
        hosts_up: up ?? hosts.filter((host) => textAttribute(findChild(host, 'status'), 'state') === 'up').length,
        hosts_total: numberAttribute(stats, 'total') ?? hosts.length,
        ...(elapsed !== undefined && { elapsed_sec: elapsed }),
        hosts: hosts.map(toHost),
        ports_found: ports,
      },
      summary: `${up ?? hosts.length} hosts up, ${open} open ports`,
    };
  },
};

/** A host with its names and the best guesses of its system. */
function toHost(host: XmlElement): JsonObject {
  const os = findChildren(findChild(host, 'os'), 'osmatch')
    .map((match) => textAttribute(match, 'name'))
    .slice(0, 5);
  return {
    address: findAddress(host),
    state: textAttribute(findChild(host, 'status'), 'state'),
    hostnames: findChildren(findChild(host, 'hostnames'), 'hostname').map((name) => textAttribute(name, 'name')),
    ...(os.length > 0 && { os }),
  };
}

/** Ports of a host with service and script output. */
function toPorts(host: XmlElement): readonly JsonObject[] {
  return findChildren(findChild(host, 'ports'), 'port').map((found) => {
    const service = findChild(found, 'service');
    const scripts = findChildren(found, 'script').map((script) => ({
      id: textAttribute(script, 'id'),
      output: textAttribute(script, 'output'),
    }));
    return {
      host: findAddress(host),
      port: numberAttribute(found, 'portid') ?? 0,
      protocol: textAttribute(found, 'protocol'),
      state: textAttribute(findChild(found, 'state'), 'state'),
      service: textAttribute(service, 'name'),
      ...(service?.attributes.has('product') && { product: textAttribute(service, 'product') }),
      ...(service?.attributes.has('version') && { version: textAttribute(service, 'version') }),
      ...(scripts.length > 0 && { scripts }),
    };
  });
}

/** IP address of a host; in a local network nmap also reports the MAC address. */
const findAddress = (host: XmlElement): string => {
  const addresses = findChildren(host, 'address');
  return textAttribute(addresses.find((each) => textAttribute(each, 'addrtype') !== 'mac') ?? addresses[0], 'addr');
};

/** Child elements by name; none if the parent is missing. */
const findChildren = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((each) => each.name === name) ?? [];
const findChild = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((each) => each.name === name);
const textAttribute = (element: XmlElement | undefined, name: string): string => element?.attributes.get(name) ?? '';

/** A numeric attribute; undefined unless it is a plain number. */
function numberAttribute(element: XmlElement | undefined, name: string): number | undefined {
  const text = textAttribute(element, name);
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
