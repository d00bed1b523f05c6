import type { RunPart, WakeMessage } from '../../runs/contract.ts';

/** Wake-ups in one message; more are dropped. They are hints, and polling finds what is missing. */
export const MAX_MESSAGES = 1000;
/** Larger messages are not read. */
export const MAX_BYTES = 512 * 1024;

const VERSION = 1;

/** Encodes wake-ups as one message. */
export const encode = (messages: readonly WakeMessage[]): string => JSON.stringify({ v: VERSION, wake: messages });

export type Decoded = { messages: WakeMessage[] } | { error: string };

/**
 * Parses a received message. A malformed message is ignored as a whole, because anybody with access to NATS can send.
 */
export function decode(data: Uint8Array): Decoded {
  if (data.length > MAX_BYTES) return { error: `it has more than ${MAX_BYTES} bytes` };
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    return { error: 'it is not JSON' };
  }
  if (!isRecord(parsed) || parsed.v !== VERSION) return { error: `it is not of version ${VERSION}` };
  const { wake } = parsed;
  if (!Array.isArray(wake) || wake.length > MAX_MESSAGES) return { error: 'it has no list of wake-ups' };
  const messages = wake.map(toMessage);
  const sound = messages.filter((message) => message !== undefined);
  return sound.length === messages.length ? { messages: sound } : { error: 'one of its wake-ups is not valid' };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 255;
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const ASPECTS: readonly unknown[] = ['log', 'steps', 'run'] satisfies RunPart[];
const isAspect = (value: unknown): value is RunPart => ASPECTS.includes(value);

/** Servers of the previous version send neither the project nor the part. */
function toRunMessage({ run_id, over, project_id, part }: Record<string, unknown>): WakeMessage | undefined {
  if (!isText(run_id)) return undefined;
  return {
    wake: 'run',
    run_id,
    ...(over === true && { over }),
    ...(isText(project_id) && { project_id }),
    ...(isAspect(part) && { part }),
  };
}

/** Copies only the known members into a new object. */
function toMessage(value: unknown): WakeMessage | undefined {
  if (!isRecord(value)) return undefined;
  const { wake, deadline, topic, claim } = value;
  if (wake === 'work') return { wake };
  if (wake === 'timer' && isNumber(deadline)) return { wake, deadline };
  if (wake === 'run') return toRunMessage(value);
  if (wake === 'topic' && isText(topic)) return { wake, topic };
  if ((wake !== 'revoked' && wake !== 'paused') || !isRecord(claim)) return undefined;
  const { activity_id, epoch, agent_id, reason } = claim;
  if (!isText(activity_id) || !isNumber(epoch)) return undefined;
  if (wake === 'paused') return isText(agent_id) ? { wake, claim: { activity_id, epoch, agent_id } } : undefined;
  if ((agent_id !== null && !isText(agent_id)) || typeof reason !== 'string') return undefined;
  return { wake, claim: { activity_id, epoch, agent_id, reason: reason.slice(0, 255) } };
}
