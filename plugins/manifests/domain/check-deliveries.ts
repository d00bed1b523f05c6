import type { ManifestFault } from '../contract.ts';
import type { ConnectorManifest, ExampleDelivery } from '../generated/connector-manifest.ts';
import { signatureCheck } from './signature.ts';

/** Verifies an example of a delivery as one that arrives is verified, and compares what comes out. */
export function deliveryFaults(
  { hook }: ConnectorManifest,
  example: ExampleDelivery,
  pointer: string,
): ManifestFault[] {
  const fault = (member: string, message: string): ManifestFault[] => [
    {
      pointer: `${pointer}${member}`,
      rule: 'example_differs',
      message,
      fix: 'correct the example, or the hook section: an example shows what really happens',
    },
  ];
  if (hook === undefined) return fault('', 'needs the member `hook`');
  const { key, at = '1970-01-01T00:00:00Z', headers, body, accepted, event_type, delivery_id } = example;
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const sent = { headers: lower, raw: Buffer.from(body, 'utf8') };
  const verdict = signatureCheck.verify(hook, key, sent, Date.parse(at));
  if (verdict.ok !== accepted)
    return fault('/accepted', `is ${verdict.ok ? 'accepted' : `refused: ${verdict.detail}`}`);
  if (verdict.ok && event_type !== undefined && verdict.event_type !== event_type)
    return fault('/event_type', `evaluates to ${JSON.stringify(verdict.event_type)}`);
  if (verdict.ok && delivery_id !== undefined && verdict.delivery_id !== delivery_id)
    return fault('/delivery_id', `evaluates to ${JSON.stringify(verdict.delivery_id)}`);
  return [];
}
