import type { ConnectorManifests } from '../../manifests/contract.ts';
import type { HookRow } from '../store/hooks.ts';

/**
 * Deliveries are trusted because the project chose who has the secret. A forge also signs what strangers write, so
 * nothing from it is trusted without rules, nor from a sender whose manifest says so.
 */
export function isTrusted(
  manifests: Pick<ConnectorManifests, 'find'>,
  { manifest }: Pick<HookRow, 'manifest'>,
): boolean {
  if (manifest === null) return true;
  const { forge, hook } = manifests.find(manifest) ?? {};
  return forge === undefined && hook?.trusted !== false;
}
