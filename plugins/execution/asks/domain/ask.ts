import { hash } from 'node:crypto';
import type { Json, WaitOutcome } from '../../../engine/runs/contract.ts';

export const MAX_NAME_LENGTH = 128;
/** Maximum bytes of a payload and of an answer, as JSON. */
export const MAX_VALUE_BYTES = 256 * 1024;
/** Open asks of one run. Each keeps its payload until a wait has taken it, or its time has ended. */
export const MAX_OPEN_ASKS = 100;
/** All asks of one run. Each keeps its row and its answer until the run is pruned. */
export const MAX_ASKS = 100_000;
export const DEFAULT_TIMEOUT = '5m';
export const MAX_TIMEOUT_MS = 30 * 86_400_000;

/** The kind of wait, and its verb. */
export const WAIT_ASK = 'wait-ask';

/** `queued`: no wait has taken it yet. Asks that are open at their deadline become `expired` later. */
export type StoredState = 'queued' | 'delivered' | 'answered' | 'expired';

export type AskState = 'open' | 'answered' | 'timed_out' | 'run_ended';

/** Times are epoch ms by the database's clock. */
export interface Ask {
  ask_id: string;
  name: string;
  state: StoredState;
  sent_by: string | null;
  sent_at: number;
  deadline: number;
  delivered_at: number | null;
  answered_at: number | null;
}

/** What became of an ask. An open one of a run that has ended needs no change of its row. */
export function outcomeOf(
  { state, deadline, answered_at }: Ask,
  { now, run_ended_at }: { now: number; run_ended_at: number | undefined },
): { state: AskState; ended_at?: number } {
  if (state === 'answered') return { state, ended_at: answered_at ?? deadline };
  if (run_ended_at !== undefined && run_ended_at < deadline) return { state: 'run_ended', ended_at: run_ended_at };
  return deadline <= now ? { state: 'timed_out', ended_at: deadline } : { state: 'open' };
}

/** Names are compared by their digests. */
export const queueOf = (name: string): string => hash('sha256', `ask\0${name}`).slice(0, 40);

/** Identifies an ask that was sent with an `Idempotency-Key`. */
export const keyedId = (key: string): string => `ask_${hash('sha256', `ask-key\0${key}`).slice(0, 40)}`;

/** What a wait for an ask prints. The payload is copied as it was sent, because it may hold numbers that no double has. */
export function askOutcome(ask: Pick<Ask, 'ask_id' | 'sent_by'>, payload: Buffer): WaitOutcome {
  const head = JSON.stringify({ id: ask.ask_id, by: ask.sent_by }).slice(0, -1);
  return { exit_code: 0, output: Buffer.concat([Buffer.from(`${head},"payload":`), payload, Buffer.from('}\n')]) };
}

/** Returns the JSON text of a value and its size, or what is wrong with it. */
export function encodeValue(value: Json | undefined): { json: Buffer; excess: number } {
  const json = Buffer.from(JSON.stringify(value ?? null));
  return { json, excess: Math.max(0, json.length - MAX_VALUE_BYTES) };
}
