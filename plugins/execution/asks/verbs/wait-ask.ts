import type { Sealer } from '../../../../kernel/contracts/index.ts';
import type { ArmWait, WaitKind } from '../../../engine/runs/contract.ts';
import {
  checkText,
  defineVerb,
  readArguments,
  readTimeout,
  requirePositionals,
  toOutcome,
} from '../../scripts/contract.ts';
import { waitAskHelp } from '../cli/verbs.ts';
import { askOutcome, MAX_NAME_LENGTH, WAIT_ASK } from '../domain/ask.ts';
import { consumeOldest } from '../store/asks.ts';
import { insertWait, removeWaits } from '../store/waits.ts';

/** Implements `svc wait-ask <name> [--timeout <duration>]`: prints `{"id", "by", "payload"}` of the next ask with this name. */
export const waitAskVerb = defineVerb(waitAskHelp, async (call) => {
  const parsed = readArguments(call.argv, ['timeout']);
  const [name] = requirePositionals(parsed, ['name']);
  checkText(name!, 'the name of an ask', MAX_NAME_LENGTH);
  // The name in the site is masked. Callers use the real name, so it is passed along where the arguments are sealed.
  const args = call.pass.mask(name!) === name ? {} : { name };
  const site = { kind: WAIT_ASK, name: name! };
  return toOutcome(await call.pass.wait(site, { args, ...readTimeout(call, parsed.options.timeout) }));
});

/** Where the name of the wait is masked, its arguments hold the whole name. */
function awaitedName({ name, args }: ArmWait): string {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  return typeof members.name === 'string' ? members.name : name;
}

const EXIT_TIMEOUT = 124;

/** Takes the oldest queued ask, or waits for the next one. */
export const waitAskKind = (sealer: Sealer, now: () => number): WaitKind => ({
  kind: WAIT_ASK,
  substate: 'ask',
  async tryResolve(tx, context, wait) {
    const oldest = await consumeOldest(tx, sealer, context, awaitedName(wait), now());
    return oldest && askOutcome(oldest.ask, oldest.payload);
  },
  arm: (tx, { run_id, activity_id }, wait) =>
    insertWait(tx, { run_id, activity_id, position: wait.position }, awaitedName(wait), now()),
  ended: removeWaits,
  expire: ({ name }) => ({
    exit_code: EXIT_TIMEOUT,
    output: Buffer.alloc(0),
    message: `nobody asked ${name} before the timeout`,
  }),
});
