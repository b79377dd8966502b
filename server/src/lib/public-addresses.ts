import { BlockList, isIP } from 'node:net';

/**
 * Networks for special purposes (IANA's registries of special-purpose addresses) and multicast. IPv6 addresses
 * outside 2000::/3 are not listed, among them loopback, link-local, unique local, multicast, IPv4-mapped, and
 * NAT64 addresses: none of them is global unicast.
 */
const SPECIAL_NETWORKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // global, but leads to the host of a virtual machine in Azure
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Teredo, benchmarks, ORCHID, and other protocol assignments.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, whose addresses contain an IPv4 address.
  '2002::/16',
  '2620:4f:8000::/48',
  // Documentation.
  '3fff::/20',
];
const GLOBAL_IPV6 = '2000::/3';

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

const special = toBlockList(SPECIAL_NETWORKS);
const globalIpv6 = toBlockList([GLOBAL_IPV6]);

/** Whether an address is global unicast without a special purpose, so that clients' URLs can lead to it. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && !address.includes('%') && globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** Whether an address is in one of these networks, even if it is IPv4-mapped. */
export function isInNetworks(address: string, networks: BlockList | undefined): boolean {
  const family = isIP(address);
  return family !== 0 && !address.includes('%') && networks?.check(address, family === 6 ? 'ipv6' : 'ipv4') === true;
}
