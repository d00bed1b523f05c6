import { compile } from '../../../platform/schema/contract.ts';
import { functionsInvalid } from '../errors.ts';
import type { RegisteredFunctions } from '../generated/registered-functions.ts';
import registeredSchema from '../schema/registered-functions.schema.json' with { type: 'json' };

export type FunctionRegistration = RegisteredFunctions['functions'][number];

/** Version of the connection between an agent and a program with workflows. */
export const PROGRAM_PROTOCOL = 1;

const validate = compile(registeredSchema);

/**
 * Reads what a program registers. A workflow without a version has that of its program, and such a program has
 * `default_version`. Throws `functions_invalid`.
 */
export function readRegistration(value: unknown, default_version: string): FunctionRegistration[] {
  const { protocol, functions, version, pid: _pid, ...unknown } = (value ?? {}) as Record<string, unknown>;
  if (protocol !== PROGRAM_PROTOCOL || Object.keys(unknown).length > 0)
    throw functionsInvalid(
      `the program uses protocol version ${String(protocol)}, but this agent uses version ${PROGRAM_PROTOCOL}`,
    );
  const versioned = Array.isArray(functions)
    ? functions.map((one: Partial<FunctionRegistration>) => ({
        ...one,
        version: one.version ?? version ?? default_version,
      }))
    : functions;
  const errors = validate({ functions: versioned });
  if (errors.length > 0)
    throw functionsInvalid(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '));
  return versioned as FunctionRegistration[];
}

/** The capability of every worker that serves a workflow. */
export const capabilityOf = (name: string): string => `function:${name}`;

/** The capability of the workers that serve one version of it. */
export const versionCapability = (name: string, version: string): string => `function:${name}:${version}`;

/** The executor of activities that are functions. */
export const FUNCTION_EXECUTOR = 'function';

/** What a capability of a worker says that it serves. Without a version: any of them. */
export interface ServedFunction {
  name: string;
  version?: string | undefined;
}

/** Returns undefined for another capability. */
export function servedOf(capability: string): ServedFunction | undefined {
  const [of, name, version] = capability.split(':');
  return of === 'function' && name !== undefined ? { name, version } : undefined;
}
