import { Errors } from '../../../../kernel/contracts/index.ts';

const NAME = /^[\x21-\x2b\x2d-\x3c\x3e-\x7e]+$/;

/** Parses `key=value,key=value` with percent-encoded values. Throws `setting_invalid`, which shows no value: it may be secret. */
export function readList(variable: string, text: string | undefined): Record<string, string> {
  const members: Record<string, string> = {};
  for (const [index, member] of (text ?? '').split(',').entries()) {
    if (member.trim() === '') continue;
    const end = member.indexOf('=');
    const name = member.slice(0, Math.max(0, end)).trim();
    const value = decodeValue(member.slice(end + 1).trim());
    if (end < 0 || !NAME.test(name) || value === undefined)
      throw Errors.settingInvalid(`${variable}: member ${index + 1} is not of the form name=value`);
    members[name] = value;
  }
  return members;
}

/** Decodes a value; undefined when its encoding is invalid, or when no header can carry it. */
function decodeValue(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return /[\r\n\0]/.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
