import { normalizeHost } from './domains.js';

/** Metadata services that hand out a machine's credentials: AWS, GCP, Azure, OpenStack, Oracle, Alibaba, Scaleway, and ECS task roles. */
export const metadataNetworks = [
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:42::42/128',
  'fd00:c1::a9fe:a9fe/128',
  'fe80::a9fe:a9fe/128',
] as const;

/** Whether an entry of an allow-list is an address of a metadata service, in any spelling. */
export function isMetadataHost(entry: string): boolean {
  const host = normalizeHost(entry)?.replaceAll(/[[\]]/g, '');
  return (
    host !== undefined &&
    metadataNetworks.some((network) => {
      const [address = ''] = network.split('/');
      const known = normalizeHost(address)?.replaceAll(/[[\]]/g, '');
      // AWS uses a whole prefix for IPv6; the others are single addresses.
      return host === known || (network === 'fd00:ec2::/32' && host.startsWith('fd00:ec2:'));
    })
  );
}
