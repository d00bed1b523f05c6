import { type Fault, isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import { compile, pointerTo } from '../../schema/contract.ts';
import type { ConnectorManifest, HookSection, ManifestValue } from '../generated/connector-manifest.ts';
import schema from '../schema/connector-manifest.schema.json' with { type: 'json' };
import { signatureCheck } from './signature.ts';

/** Every fault of a document as a `svc-connector/v1` manifest; empty when there is none. */
export function manifestFaults(document: unknown): Fault[] {
  const faults = compile(schema)(document);
  if (faults.length > 0) return faults;
  const manifest = document as ConnectorManifest;
  return [
    ...valueFaults(manifest.fields, '/fields', false),
    ...Object.entries(manifest.actions ?? {}).flatMap(([name, action]) =>
      valueFaults(action!.inputs, `${pointerTo('/actions', name)}/inputs`, true),
    ),
    ...credentialFaults(manifest),
    ...(manifest.hook ? hookFaults(manifest.hook) : []),
    ...exampleFaults(manifest),
  ];
}

/** Names are unique. Only text inputs may be Markdown. */
function valueFaults(values: readonly ManifestValue[] = [], at: string, inputs: boolean): Fault[] {
  const seen = new Set<string>();
  return values.flatMap(({ name, type, markdown, one_of, required, ...rest }, index) => {
    const faults: Fault[] = [];
    const place = pointerTo(at, index);
    const say = (member: string, message: string) => faults.push({ pointer: `${place}/${member}`, message });
    if (seen.has(name)) say('name', 'is also the name of another one');
    seen.add(name);
    if (markdown && (type !== 'string' || !inputs)) say('markdown', 'is allowed only for inputs of type string');
    if (one_of && type !== 'string') say('one_of', 'is allowed only for type string');
    if (required && 'default' in rest) say('default', 'has no effect where the value is required');
    return faults;
  });
}

function credentialFaults({ credential }: ConnectorManifest): Fault[] {
  if (credential?.header === undefined || credential.kind === 'api_key') return [];
  return [{ pointer: '/credential/header', message: 'is allowed only for kind api_key' }];
}

/** Refuses a signature that covers the body or the timestamp incompletely: it would protect nothing. */
export function hookFaults({ signature, delivery_id }: HookSection): Fault[] {
  const { signs = '{body}', timestamp_header, tolerance } = signature;
  const faults: Fault[] = [];
  const say = (member: string, message: string) => faults.push({ pointer: `/hook/signature/${member}`, message });
  if (!signs.includes('{body}')) say('signs', 'must contain {body}: a part that is not signed can be forged');
  if (signs.includes('{timestamp}') && timestamp_header === undefined)
    say('timestamp_header', 'is required when {timestamp} is signed');
  if (timestamp_header !== undefined && !signs.includes('{timestamp}'))
    say('timestamp_header', 'must be signed, as {timestamp} in `signs`');
  if (signs.includes('{id}') && !(delivery_id && 'header' in delivery_id))
    say('signs', 'contains {id}, so hook.delivery_id must name a header');
  if (tolerance !== undefined && timestamp_header === undefined) say('tolerance', 'needs timestamp_header');
  if (tolerance !== undefined && !isDuration(tolerance)) say('tolerance', 'must be a duration such as 5m');
  return faults;
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) > 0;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
}

/** An example shows an action or a delivery. Examples of deliveries are verified here. */
function exampleFaults({ examples = [], actions = {}, hook }: ConnectorManifest): Fault[] {
  return examples.flatMap(({ action, request, delivery }, index) => {
    const at = pointerTo('/examples', index);
    const fault = (message: string, member = '') => [{ pointer: `${at}${member}`, message }];
    if ((action === undefined) === (delivery === undefined)) return fault('must have either `action` or `delivery`');
    if (action !== undefined) {
      if (!Object.hasOwn(actions, action)) return fault('is not an action of this manifest', '/action');
      return request === undefined ? fault('is required with `action`', '/request') : [];
    }
    if (hook === undefined) return fault('needs the member `hook`', '/delivery');
    const { key, at: time = '1970-01-01T00:00:00Z', headers, body, accepted, event_type, delivery_id } = delivery!;
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const verdict = signatureCheck.verify(
      hook,
      key,
      { headers: lower, raw: Buffer.from(body, 'utf8') },
      Date.parse(time),
    );
    if (verdict.ok !== accepted)
      return fault(`is ${verdict.ok ? 'accepted' : `refused: ${verdict.detail}`}`, '/delivery/accepted');
    if (verdict.ok && event_type !== undefined && verdict.event_type !== event_type)
      return fault(`evaluates to ${JSON.stringify(verdict.event_type)}`, '/delivery/event_type');
    if (verdict.ok && delivery_id !== undefined && verdict.delivery_id !== delivery_id)
      return fault(`evaluates to ${JSON.stringify(verdict.delivery_id)}`, '/delivery/delivery_id');
    return [];
  });
}
