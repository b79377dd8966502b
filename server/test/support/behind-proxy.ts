import { BlockList } from 'node:net';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';

/** A service that trusts X-Forwarded-For from this machine. */
export function startBehindProxy(): Promise<TestService> {
  const trustedProxies = new BlockList();
  trustedProxies.addAddress('127.0.0.1', 'ipv4');
  return startTestService({ trustedProxies });
}
