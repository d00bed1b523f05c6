import { Errors } from '../../../kernel/contracts/index.ts';

const NAME = /^[\x21-\x2b\x2d-\x3c\x3e-\x7e]+$/;

/** `key=value,key=value`, with percent-encoded values. Throws `setting_invalid`; a value may be secret and is not shown. */
export function readList(variable: string, text: string | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [index, part] of (text ?? '').split(',').entries()) {
    if (part.trim() === '') continue;
    const end = part.indexOf('=');
    const name = part.slice(0, Math.max(0, end)).trim();
    const value = decoded(part.slice(end + 1).trim());
    if (end < 0 || !NAME.test(name) || value === undefined)
      throw Errors.settingInvalid(`${variable}: member ${index + 1} is not of the form name=value`);
    found[name] = value;
  }
  return found;
}

/** Undefined for a text that is encoded wrongly, or that no header can carry. */
function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return /[\r\n\0]/.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
