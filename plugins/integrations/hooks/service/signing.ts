import { Errors } from '../../../../kernel/contracts/index.ts';
import type { ConnectorManifests, HookSection } from '../../manifests/contract.ts';
import type { HmacSettings } from '../contract.ts';
import { hmacSection, findSection } from '../domain/spec.ts';
import type { HookRow } from '../store/hooks.ts';

/** Returns how deliveries to a hook are signed. Throws `unavailable` when its manifest no longer exists. */
export function signingSection(manifests: ConnectorManifests, { name, hmac, manifest }: HookRow): HookSection {
  if (hmac !== null) return hmacSection(JSON.parse(hmac) as HmacSettings);
  const section = findSection(manifests, manifest ?? '');
  if (section) return section;
  throw Errors.unavailable(`the connector ${manifest} of the hook ${name} is not installed on this server`);
}
