import { isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import type { ManifestFault } from '../contract.ts';
import type { HookSection, SignatureSection } from '../generated/connector-manifest.ts';
import { hasTime } from './signed-header.ts';

type Say = (member: string, rule: string, message: string, fix: string) => void;

/** Refuses a signature that covers the body or the time incompletely: it would protect nothing. */
export function hookFaults(hook: HookSection): ManifestFault[] {
  const faults: ManifestFault[] = [];
  const say: Say = (member, rule, message, fix) =>
    faults.push({ pointer: `/hook${member && `/${member}`}`, rule, message, fix });
  if ((hook.signature === undefined) === (hook.token === undefined))
    say('', 'hook_proof', 'must have either `signature` or `token`', 'say how the sender proves its deliveries');
  if (hook.signature) {
    signedFaults(hook, hook.signature, say);
    timeFaults(hook.signature, say);
  }
  return faults;
}

function signedFaults({ delivery_id }: HookSection, { signs = '{body}' }: SignatureSection, say: Say): void {
  if (!signs.includes('{body}'))
    say(
      'signature/signs',
      'body_unsigned',
      'must contain {body}: a part that is not signed can be forged',
      'add {body}',
    );
  if (signs.includes('{id}') && !(delivery_id && 'header' in delivery_id))
    say(
      'signature/signs',
      'id_unknown',
      'contains {id}, so hook.delivery_id must name a header',
      'add "delivery_id": {"header": "…"} to the hook',
    );
}

function timeFaults(signature: SignatureSection, say: Say): void {
  const { signs = '{body}', timestamp_header, timestamp_unit, parts, tolerance } = signature;
  const timed = hasTime(signature);
  const signed = signs.includes('{timestamp}');
  const where = parts?.timestamp === undefined ? 'timestamp_header' : 'parts/timestamp';
  if (signed && !timed)
    say(
      'signature/timestamp_header',
      'time_unknown',
      'is required when {timestamp} is signed',
      'name the header, or the part of the header, that has the time',
    );
  if (timed && !signed)
    say(
      `signature/${where}`,
      'time_unsigned',
      'must be signed, as {timestamp} in `signs`',
      'add {timestamp} to `signs`',
    );
  if (timestamp_header !== undefined && parts?.timestamp !== undefined)
    say('signature/timestamp_header', 'time_twice', 'is named in `parts` too', 'keep one of the two');
  for (const [member, given] of [
    ['tolerance', tolerance],
    ['timestamp_unit', timestamp_unit],
  ] as const)
    if (given !== undefined && !timed)
      say(`signature/${member}`, 'time_unknown', 'needs timestamp_header', 'remove it, or say where the time is');
  if (tolerance !== undefined && !isDuration(tolerance))
    say('signature/tolerance', 'duration', 'must be a duration such as 5m', 'write it as 30s, 5m or 1h');
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) > 0;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
}
