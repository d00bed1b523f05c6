import { hash } from 'node:crypto';
import { parseDuration } from '../../../../kernel/contracts/index.ts';
import { type AnyBranch, MAX_BRANCHES, MAX_CALL_NAME_LENGTH } from '../../../engine/runs/contract.ts';
import { verbUsage } from '../../replay/contract.ts';
import { waitAnyHelp } from '../cli/verbs.ts';
import { checkText, defineVerb, readArguments, toOutcome, type Verb } from '../contract.ts';

const MAX_SIGNAL_NAME_LENGTH = 128;
const MAX_ASK_NAME_LENGTH = 128;
/** The prefix of names under which the engine itself ends waits for events. */
const RESERVED_SIGNALS = 'event:';
const EVENT_TYPE = /^[A-Za-z0-9._-]{1,64}$/;

/** `svc wait-any signal:<name>… event:<type>… ask:<name>… [timeout:<duration>]` prints which of them came first. */
export const waitAnyVerb: Verb = defineVerb(waitAnyHelp, async (call) => {
  const { positionals, options } = readArguments(call.argv, [], [], ['untrusted']);
  const branches: AnyBranch[] = [];
  let timeout_ms: number | undefined;
  for (const text of positionals) {
    const name = text.slice(text.indexOf(':') + 1);
    if (text.startsWith('timeout:')) {
      if (timeout_ms !== undefined) throw verbUsage('there are two timeouts; give one timeout:<duration>');
      timeout_ms = parseDuration(name);
    } else branches.push(readBranch(text, name, options.untrusted !== undefined));
  }
  if (branches.length === 0)
    throw verbUsage('there is nothing to wait for; give signal:<name>, event:<type> or ask:<name>');
  if (branches.length > MAX_BRANCHES)
    throw verbUsage(`there are ${branches.length} signals, events and asks; a wait can have at most ${MAX_BRANCHES}`);
  const names = branches.map(({ kind, name }) => `${kind}:${name}`);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) throw verbUsage(`${twice} is given twice`);
  // The time is not compared on replay, because a script may compute it from the time of day.
  const all = names.map((name) => call.pass.mask(name)).join(' ');
  const name = Array.from(all).slice(0, MAX_CALL_NAME_LENGTH).join('');
  const site = { kind: 'wait-any', name, digest: hash('sha256', all) };
  return toOutcome(await call.pass.wait(site, { args: { branches }, ...(timeout_ms !== undefined && { timeout_ms }) }));
});

function readBranch(text: string, name: string, untrusted: boolean): AnyBranch {
  if (text.startsWith('signal:')) {
    checkText(name, 'the name of a signal', MAX_SIGNAL_NAME_LENGTH);
    if (name.startsWith(RESERVED_SIGNALS))
      throw verbUsage(`names that begin with ${RESERVED_SIGNALS} are reserved for the engine; write event:<type>`);
    return { kind: 'signal', name };
  }
  if (text.startsWith('ask:')) return { kind: 'ask', name: checkText(name, 'the name of an ask', MAX_ASK_NAME_LENGTH) };
  if (!text.startsWith('event:'))
    throw verbUsage(`${JSON.stringify(text)} is not signal:<name>, event:<type>, ask:<name> or timeout:<duration>`);
  if (!EVENT_TYPE.test(name)) throw verbUsage('an event type must have 1 to 64 of the characters A-Z a-z 0-9 . _ -');
  return { kind: 'event', name, ...(untrusted && { untrusted: true as const }) };
}
