import { parseExact, usageError } from '../../../../cli/contract.ts';

/** `<name>[=<json>]`. */
export interface NamedPayload {
  name: string;
  payload: unknown;
}

/** The values of a flag that names signals or events. Throws a usage error for a payload that is not JSON. */
export const parseNamedPayloads = (flag: string, given: readonly string[]): NamedPayload[] =>
  given.map((text) => {
    const at = text.indexOf('=');
    if (at < 0) return { name: text, payload: null };
    const name = text.slice(0, at);
    try {
      return { name, payload: parseExact(text.slice(at + 1)) };
    } catch (error) {
      throw usageError(
        `the payload of --${flag} ${name} is not JSON: ${(error as Error).message}`,
        `write --${flag} ${name}='{"key":"value"}'`,
      );
    }
  });
