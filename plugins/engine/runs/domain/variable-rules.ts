import type { Fault } from '../../../../kernel/contracts/index.ts';
import { variableFault } from '../contract.ts';

const ENV_NAMES = 256;
const ENV_VALUE_LENGTH = 65_536;
const CREDENTIALS = 64;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const CREDENTIAL = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

const ARGUMENTS = 1024;
/** A process takes no argument of 128 KiB, and about 2 MiB of arguments and variables. */
const ARGUMENT_LENGTH = 65_536;
const ARGUMENTS_BYTES = 120 * 1024;

/** A JSON pointer segment. */
const segment = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');

/** Faults of variables with literal values. */
export function envFaults(env: Record<string, string>): Fault[] {
  const names = Object.keys(env);
  if (names.length > ENV_NAMES) return [{ pointer: '/env', message: `must have at most ${ENV_NAMES} variables` }];
  return names.flatMap((name): Fault[] => {
    const pointer = `/env/${segment(name)}`;
    if (!ENV_NAME.test(name)) return [{ pointer, message: 'is not a variable name: [A-Za-z_][A-Za-z0-9_]{0,127}' }];
    if (name.startsWith('SVC_'))
      return [{ pointer, message: 'variables that begin with SVC_ are reserved for the service; choose another name' }];
    if (env[name]!.includes('\0')) return [{ pointer, message: 'must not contain NUL' }];
    if (env[name]!.length > ENV_VALUE_LENGTH)
      return [{ pointer, message: `must have at most ${ENV_VALUE_LENGTH} characters` }];
    return [];
  });
}

/** Faults of the arguments of a program. */
export function argumentFaults(args: readonly string[]): Fault[] {
  if (args.length > ARGUMENTS) return [{ pointer: '/args', message: `must have at most ${ARGUMENTS} arguments` }];
  const bytes = args.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > ARGUMENTS_BYTES)
    return [
      {
        pointer: '/args',
        message: `is ${bytes} bytes long; the limit is ${ARGUMENTS_BYTES}: pass large data as input`,
      },
    ];
  return args.flatMap((text, n): Fault[] => {
    const pointer = `/args/${n}`;
    if (text.includes('\0')) return [{ pointer, message: 'must not contain NUL' }];
    if (text.length > ARGUMENT_LENGTH)
      return [{ pointer, message: `must have at most ${ARGUMENT_LENGTH} characters: pass large data as input` }];
    return text.isWellFormed() ? [] : [{ pointer, message: 'must be valid Unicode' }];
  });
}

/** Faults of variables that get credentials. */
export function credentialFaults(credentials: Record<string, string>): Fault[] {
  const names = Object.keys(credentials);
  if (names.length > CREDENTIALS)
    return [{ pointer: '/credentials', message: `must contain at most ${CREDENTIALS} credentials` }];
  return names.flatMap((name): Fault[] => {
    const pointer = `/credentials/${segment(name)}`;
    const message = variableFault(name);
    if (message !== undefined) return [{ pointer, message }];
    if (CREDENTIAL.test(credentials[name]!)) return [];
    return [{ pointer, message: 'must be the name of a credential: [A-Za-z0-9][A-Za-z0-9_-]{0,62}' }];
  });
}
