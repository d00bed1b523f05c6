import { hash } from 'node:crypto';
import { parseDuration } from '../../../../kernel/contracts/index.ts';
import {
  type AnyBranch,
  anyWaitName,
  type Json,
  MAX_BRANCHES,
  RESERVED_SIGNALS,
} from '../../../engine/runs/contract.ts';
import { verbUsage } from '../../replay/contract.ts';
import { waitAnyHelp } from '../cli/verbs.ts';
import { checkText, defineVerb, readArguments, readVars, toOutcome, type Verb } from '../contract.ts';

const MAX_SIGNAL_NAME_LENGTH = 128;
const MAX_ASK_NAME_LENGTH = 128;
const EVENT_TYPE = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * `svc wait-any signal:<name>… event:<type>… ask:<name>… [timeout:<duration>] [--when <type>=<expression>]… [--var <name>=<value>]…`
 * prints which of them came first.
 */
export const waitAnyVerb: Verb = defineVerb(waitAnyHelp, async (call) => {
  const { positionals, options, lists } = readArguments(call.argv, [], ['when', 'var'], ['untrusted']);
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
  addPredicates(branches, lists.when ?? [], readVars(lists.var));
  const names = branches.map(({ kind, name }) => `${kind}:${name}`);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) throw verbUsage(`${twice} is given twice`);
  // The time is not compared on replay, because a script may compute it from the time of day.
  const masked = names.map((name) => call.pass.mask(name));
  const site = { kind: 'wait-any', name: anyWaitName(masked), digest: hash('sha256', masked.join(' ')) };
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

/** Adds `<type>=<expression>` to the event of that type. The values are separate, so that none becomes part of an expression. */
function addPredicates(branches: readonly AnyBranch[], whens: readonly string[], vars: { [name: string]: Json }): void {
  if (whens.length === 0 && Object.keys(vars).length > 0)
    throw verbUsage('--var needs --when, which uses it as vars.<name>');
  for (const text of whens) {
    const [type = ''] = text.split('=', 1);
    const when = text.slice(type.length + 1);
    if (!EVENT_TYPE.test(type) || when === '')
      throw verbUsage("--when takes <type>=<expression>, such as order.paid='event.payload.id == vars.id'");
    const event = branches.find(({ kind, name }) => kind === 'event' && name === type);
    if (event === undefined)
      throw verbUsage(`--when contains the event ${type}, which is not waited for; add event:${type}`);
    if (event.when !== undefined) throw verbUsage(`--when is given twice for the event ${type}`);
    Object.assign(event, { when, vars });
  }
}
