import { Errors } from '../../../../kernel/contracts/index.ts';
import {
  type EventSource,
  isReserved,
  validateEventKey,
  type NewEvent,
  validateEventType,
} from '../../../events/bus/contract.ts';
import type { ForgeEvents } from '../../forges/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pushFields } from './push-fields.ts';
import { invalid, isObject, type JsonObject, optionalText } from './values.ts';

export type TrialEvent = Pick<NewEvent, 'type' | 'key' | 'payload' | 'source' | 'trusted'> & { fields: JsonObject };

/** Members that `svc events show` prints but reactions do not see. */
const IGNORED_MEMBERS = ['event', 'source', 'source_name', 'generation', 'recorded_at', 'deliveries', 'more'];
const LIFECYCLE = ['run.started', 'run.succeeded', 'run.failed', 'run.cancelled'];

/** The event that a file describes. Throws `invalid_request` with pointers into it. */
export async function readTrialEvent(file: unknown, forges: ForgeEvents): Promise<TrialEvent> {
  if (!isObject(file)) throw invalid('', 'must be an object: an event with a `type`, or a delivery with a `forge`');
  if (file.type !== undefined) return readEvent(file);
  if (file.forge !== undefined) return readDelivery(file, forges);
  throw invalid('/type', 'is required; a forge delivery has `forge`, `event` and `body` instead');
}

async function readDelivery(
  { forge, event, body, repo, ...rest }: JsonObject,
  forges: ForgeEvents,
): Promise<TrialEvent> {
  for (const name of Object.keys(rest))
    throw invalid(`/${name}`, 'is not a known member of a delivery (known: forge, event, body, repo)');
  if (typeof event !== 'string' || event === '')
    throw invalid('/event', 'must be the name that the forge gives the event, such as push or pull_request');
  if (body === undefined || !isObject(body)) throw invalid('/body', 'must be the JSON object that the forge sends');
  const named = optionalText('repo', repo);
  const { removed_ref, ...made } = await forges.createEvent({
    forge: optionalText('forge', forge) ?? '',
    event,
    body,
    repo: named,
  });
  if (removed_ref) throw invalid('/body', 'is a push that deleted its ref; no webhook runs a workflow for it');
  checkType(made.type, '/event');
  return { ...made, source: 'forge' };
}

function readEvent({ type, key = null, payload, trusted = true, fields = {}, ...rest }: JsonObject): TrialEvent {
  if (typeof type !== 'string') throw invalid('/type', 'must be a string');
  checkType(type, '/type');
  if (typeof trusted !== 'boolean') throw invalid('/trusted', 'must be true or false');
  if (!isObject(fields)) throw invalid('/fields', 'must be an object');
  for (const name of IGNORED_MEMBERS) delete rest[name];
  const all_fields = { ...fields, ...rest };
  const event = { type, source: inferSource(type), trusted };
  if (type === 'push') {
    const pushed = pushFields(all_fields, payload);
    return { ...event, key: readKey(key ?? pushed.repo ?? null), payload: payload ?? pushed, fields: pushed };
  }
  if (type === 'schedule.tick') {
    const schedule = all_fields.schedule ?? (isObject(payload) ? payload.schedule : undefined);
    if (typeof schedule !== 'string') throw invalid('/schedule', "must be the schedule's name");
    return { ...event, key: readKey(key), payload: payload ?? { schedule }, fields: { ...all_fields, schedule } };
  }
  return { ...event, key: readKey(key), payload: payload ?? null, fields: all_fields };
}

/** Applies the rules of every event type, and rejects types that start no run. */
function checkType(type: string, pointer: string): void {
  const error = validateEventType(type);
  if (error !== undefined) throw invalid(pointer, error);
  if (type === 'manual' || type === 'spawn')
    throw invalid(pointer, `must not be ${type}: omit the event and pass --input, as with svc submit`);
  if (isReserved(type) && type !== 'push' && type !== 'schedule.tick' && !LIFECYCLE.includes(type))
    throw invalid(pointer, 'is reserved for the service, which sends no such event');
}

function readKey(key: Json): string | null {
  if (key !== null && typeof key !== 'string') throw invalid('/key', 'must be a string');
  const error = key === null ? undefined : validateEventKey(key);
  if (error !== undefined)
    throw Errors.invalidRequest(`key ${error}`, { errors: [{ pointer: '/key', message: error }] });
  return key;
}

/** Infers the source from the type. On a server, the source is known. */
function inferSource(type: string): EventSource {
  if (type === 'push' || type.startsWith('forge.')) return 'forge';
  if (type === 'schedule.tick') return 'schedule';
  return LIFECYCLE.includes(type) ? 'lifecycle' : 'emit';
}
