import { Errors, iso, isId, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { JournaledVerb, Json, WaitOutcome } from '../../../engine/runs/contract.ts';
import { nestsTooDeep, parseExact } from '../../../platform/schema/contract.ts';
import { valueTooLarge, verbUsage } from '../../replay/contract.ts';
import { defineVerb, readArguments, requirePositionals, toOutcome } from '../../scripts/contract.ts';
import { answerHelp } from '../cli/verbs.ts';
import { encodeValue, MAX_VALUE_BYTES } from '../domain/ask.ts';
import { readAsk, writeAnswer } from '../store/asks.ts';

const ANSWER = 'answer';

/** What is read of standard input; the limit applies to the answer without its spaces. */
const MAX_STDIN_BYTES = 1024 * 1024;

/** Implements `svc answer <ask> <json>|-`. An ask is answered once, however often the script replays. */
export const answerVerb = defineVerb(answerHelp, async (call) => {
  const [ask, text] = requirePositionals(readArguments(call.argv), ['ask', 'json']);
  const ask_id = readAskId(ask!);
  // Standard input must be read on every pass, but its content matters only if the answer is really given.
  const written = text === '-' ? (await call.stdin(MAX_STDIN_BYTES)).toString() : text!;
  const args = () => ({ ask: ask_id, answer: parseAnswer(written) });
  return toOutcome(await call.pass.perform({ kind: ANSWER, name: ask_id, public_name: true }, args));
});

/** Reads an ID, or the JSON that `svc wait-ask` and `svc wait-any` print. */
function readAskId(text: string): string {
  let id: unknown = text;
  try {
    if (text.startsWith('{')) id = (JSON.parse(text) as { id?: unknown }).id;
  } catch {
    // It is not what a wait prints.
  }
  if (typeof id === 'string' && isId(id) && !id.startsWith('{')) return id;
  throw verbUsage(`${JSON.stringify(text.slice(0, 80))} is neither the ID of an ask nor the output of svc wait-ask`);
}

function parseAnswer(text: string): Json {
  let answer: Json;
  try {
    answer = parseExact(text) as Json;
  } catch {
    throw verbUsage(`the answer is not JSON; write '"…"' for text`);
  }
  if (nestsTooDeep(answer)) throw verbUsage('the answer is nested more than 100 levels deep');
  const { excess } = encodeValue(answer);
  if (excess > 0) throw valueTooLarge(`the answer is ${excess} bytes over the limit of ${MAX_VALUE_BYTES / 1024} KiB`);
  return answer;
}

/**
 * The same in the journal's transaction, with the arguments `{ask, answer}`. An answer that comes too late is an outcome too: a
 * script may continue after it.
 */
export const answerJournaledVerb = (sealer: Sealer, now: () => number): JournaledVerb => ({
  kind: ANSWER,
  prepare: (context) => sealer.prepare(context.org_id),
  async perform(tx, context, args) {
    const { ask_id, answer } = readArgs(args);
    const at = now();
    if (await writeAnswer(tx, sealer, context, { ask_id, answer, now: at })) return printed('answered');
    const ask = await readAsk(tx, context.run_id, ask_id);
    if (!ask) return failed(`there is no ask ${ask_id} in this run`);
    if (ask.state === 'answered') return failed(`the ask ${ask_id} has been answered already`);
    const message = `the time of the ask ${ask_id} ended at ${iso(ask.deadline)}; nobody gets the answer`;
    return { ...printed('timed_out'), message };
  },
});

const printed = (state: string): WaitOutcome => ({ exit_code: 0, output: Buffer.from(`${state}\n`) });
const failed = (message: string): WaitOutcome => ({ exit_code: 1, output: Buffer.alloc(0), message });

function readArgs(args: Json): { ask_id: string; answer: Buffer } {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { ask, answer } = members;
  if (typeof ask !== 'string' || !isId(ask)) throw Errors.invalidRequest('answer needs the ID of an ask');
  const { json, excess } = encodeValue(answer);
  if (excess > 0) throw Errors.payloadTooLarge(`the answer is ${excess} bytes over the limit of ${MAX_VALUE_BYTES}`);
  return { ask_id: ask, answer: json };
}
