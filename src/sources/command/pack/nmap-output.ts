import type { JsonObject } from '../../../core/json.js';
import type { OutputParser } from '../definition.js';
import { readXml, type XmlElement } from '../xml.js';

const port = {
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

/** Reads the XML that nmap prints with `-oX -`. */
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
      ports_found: { type: 'array', items: port },
    },
    required: ['hosts_up', 'hosts_total', 'hosts', 'ports_found'],
  },
  read({ stdout }) {
    const reading = readXml(stdout);
    if (!reading.ok || reading.root.name !== 'nmaprun') return {};
    const stats = child(child(reading.root, 'runstats'), 'hosts');
    const hosts = childrenOf(reading.root, 'host');
    const ports = hosts.flatMap(portsOf);
    const up = number(stats, 'up');
    const elapsed = number(child(child(reading.root, 'runstats'), 'finished'), 'elapsed');
    const open = ports.filter((found) => found['state'] === 'open').length;
    return {
      parsed: {
        hosts_up: up ?? hosts.filter((host) => attribute(child(host, 'status'), 'state') === 'up').length,
        hosts_total: number(stats, 'total') ?? hosts.length,
        ...(elapsed !== undefined && { elapsed_sec: elapsed }),
        hosts: hosts.map(hostOf),
        ports_found: ports,
      },
      summary: `${up ?? hosts.length} hosts up, ${open} open ports`,
    };
  },
};

function hostOf(host: XmlElement): JsonObject {
  const os = childrenOf(child(host, 'os'), 'osmatch')
    .map((match) => attribute(match, 'name'))
    .slice(0, 5);
  return {
    address: addressOf(host),
    state: attribute(child(host, 'status'), 'state'),
    hostnames: childrenOf(child(host, 'hostnames'), 'hostname').map((name) => attribute(name, 'name')),
    ...(os.length > 0 && { os }),
  };
}

function portsOf(host: XmlElement): readonly JsonObject[] {
  return childrenOf(child(host, 'ports'), 'port').map((found) => {
    const service = child(found, 'service');
    const scripts = childrenOf(found, 'script').map((script) => ({
      id: attribute(script, 'id'),
      output: attribute(script, 'output'),
    }));
    return {
      host: addressOf(host),
      port: number(found, 'portid') ?? 0,
      protocol: attribute(found, 'protocol'),
      state: attribute(child(found, 'state'), 'state'),
      service: attribute(service, 'name'),
      ...(service?.attributes.has('product') && { product: attribute(service, 'product') }),
      ...(service?.attributes.has('version') && { version: attribute(service, 'version') }),
      ...(scripts.length > 0 && { scripts }),
    };
  });
}

const addressOf = (host: XmlElement): string => {
  const addresses = childrenOf(host, 'address');
  return attribute(addresses.find((each) => attribute(each, 'addrtype') !== 'mac') ?? addresses[0], 'addr');
};

const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((each) => each.name === name) ?? [];
const child = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((each) => each.name === name);
const attribute = (element: XmlElement | undefined, name: string): string => element?.attributes.get(name) ?? '';

function number(element: XmlElement | undefined, name: string): number | undefined {
  const text = attribute(element, name);
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
