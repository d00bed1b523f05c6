import type { ManifestProblem } from '../contract.ts';
import type { ConnectorManifest, ExampleDelivery } from '../generated/connector-manifest.ts';
import { signatureCheck } from './signature.ts';

/** Verifies the delivery of an example like one that arrives, and compares the result. */
export function validateDeliveryExample(
  { hook }: ConnectorManifest,
  example: ExampleDelivery,
  pointer: string,
): ManifestProblem[] {
  const report = (member: string, message: string): ManifestProblem[] => [
    {
      pointer: `${pointer}${member}`,
      rule: 'example_differs',
      message,
      fix: 'correct the example, or the hook section: an example must show what really happens',
    },
  ];
  if (hook === undefined) return report('', 'needs the member `hook`');
  const { key, at = '1970-01-01T00:00:00Z', headers, body, accepted, event_type, delivery_id } = example;
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const sent = { headers: lower, raw: Buffer.from(body, 'utf8') };
  const result = signatureCheck.verify(hook, key, sent, Date.parse(at));
  if (result.ok !== accepted) return report('/accepted', `is ${result.ok ? 'accepted' : `refused: ${result.detail}`}`);
  if (result.ok && event_type !== undefined && result.event_type !== event_type)
    return report('/event_type', `evaluates to ${JSON.stringify(result.event_type)}`);
  if (result.ok && delivery_id !== undefined && result.delivery_id !== delivery_id)
    return report('/delivery_id', `evaluates to ${JSON.stringify(result.delivery_id)}`);
  return [];
}
