import { isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import type { ManifestProblem } from '../contract.ts';
import type { HookSection, SignatureSection } from '../generated/connector-manifest.ts';
import { hasTime } from './signed-header.ts';

type Report = (member: string, rule: string, message: string, fix: string) => void;

/** Rejects a signature that does not cover the whole body or the time, because it would protect nothing. */
export function validateHook(hook: HookSection): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const report: Report = (member, rule, message, fix) =>
    problems.push({ pointer: `/hook${member && `/${member}`}`, rule, message, fix });
  if ((hook.signature === undefined) === (hook.token === undefined))
    report(
      '',
      'hook_proof',
      'must have either `signature` or `token`',
      'describe how the sender authenticates its deliveries',
    );
  if (hook.signature) {
    checkSignedParts(hook, hook.signature, report);
    checkTime(hook.signature, report);
  }
  return problems;
}

function checkSignedParts({ delivery_id }: HookSection, { signs = '{body}' }: SignatureSection, report: Report): void {
  if (!signs.includes('{body}'))
    report(
      'signature/signs',
      'body_unsigned',
      'must contain {body}: a part that is not signed can be forged',
      'add {body}',
    );
  if (signs.includes('{id}') && !(delivery_id && 'header' in delivery_id))
    report(
      'signature/signs',
      'id_unknown',
      'contains {id}, so hook.delivery_id must name a header',
      'add "delivery_id": {"header": "…"} to the hook',
    );
}

function checkTime(signature: SignatureSection, report: Report): void {
  const { signs = '{body}', timestamp_header, timestamp_unit, parts, tolerance } = signature;
  const timed = hasTime(signature);
  const signed = signs.includes('{timestamp}');
  const location = parts?.timestamp === undefined ? 'timestamp_header' : 'parts/timestamp';
  if (signed && !timed)
    report(
      'signature/timestamp_header',
      'time_unknown',
      'is required when {timestamp} is signed',
      'name the header, or the part of the header, that has the time',
    );
  if (timed && !signed)
    report(
      `signature/${location}`,
      'time_unsigned',
      'must be signed, as {timestamp} in `signs`',
      'add {timestamp} to `signs`',
    );
  if (timestamp_header !== undefined && parts?.timestamp !== undefined)
    report('signature/timestamp_header', 'time_twice', 'is also in `parts`', 'keep one of the two');
  for (const [member, setting] of [
    ['tolerance', tolerance],
    ['timestamp_unit', timestamp_unit],
  ] as const)
    if (setting !== undefined && !timed)
      report(`signature/${member}`, 'time_unknown', 'needs timestamp_header', 'remove it, or say where the time is');
  if (tolerance !== undefined && !isDuration(tolerance))
    report('signature/tolerance', 'duration', 'must be a duration such as 5m', 'write it as 30s, 5m or 1h');
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) > 0;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
}
