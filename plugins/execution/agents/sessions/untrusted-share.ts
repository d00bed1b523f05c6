import { AgentErrors } from '../errors.ts';

const DEFAULT = '50%';
const MAX_SLOTS = 1024;

/**
 * Parses `SVC_UNTRUSTED_SLOTS`: how many slots of an agent untrusted work may use, as a share (`50%`) or a number. It
 * is at least one, because `svc agent --untrusted refuse` is how to take none. Throws `agent_setting_invalid`.
 */
export function parseUntrustedSlots(value: string | undefined): (slots: number) => number {
  const text = value?.trim() || DEFAULT;
  const [, digits = '', percent] = /^(\d{1,4})(%?)$/.exec(text) ?? [];
  const number = Number(digits);
  if (digits === '' || number < 1 || number > (percent ? 100 : MAX_SLOTS))
    throw AgentErrors.settingInvalid(
      `SVC_UNTRUSTED_SLOTS is "${text}"; write a share of an agent's slots from 1% to 100%, or a number of slots from 1 to ${MAX_SLOTS}`,
    );
  if (!percent) return (slots) => Math.min(slots, number);
  return (slots) => Math.max(1, Math.floor((slots * number) / 100));
}
