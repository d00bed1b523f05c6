import type { Assignment } from '../../agents/contract.ts';
import type { IncludedFile, Json } from '../../../engine/runs/contract.ts';
import { readCheckout, type ScriptWork } from '../contract.ts';
import { scriptNotStarted } from '../errors.ts';

/**
 * Reads the spec of a script. Throws `script_not_started` for a spec of another version, which no retry will change.
 */
export function readSpec(spec: Json): ScriptWork {
  const problem =
    'the record of the script cannot be read by this agent; run an agent with the same version as the server';
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) throw scriptNotStarted(problem);
  const { filename = null, source, interpreter = null, args = [], files = [], captures = false, job = null } = spec;
  const texts = [filename, interpreter, job].every((value) => value === null || typeof value === 'string');
  const words = Array.isArray(args) && args.every((one) => typeof one === 'string');
  const checkout = readCheckout(spec.checkout);
  if (typeof source !== 'string' || !texts || !words || !Array.isArray(files)) throw scriptNotStarted(problem);
  return {
    filename: (filename as string | null) ?? undefined,
    source,
    interpreter: (interpreter as string | null) ?? undefined,
    ...(args.length > 0 && { args: args as string[] }),
    ...(files.length > 0 && { files: files as unknown as IncludedFile[] }),
    checkout,
    captures: captures === true,
    job: (job as string | null) ?? undefined,
    with: spec.with,
  };
}

/**
 * Returns the job that a script is within its run; undefined for a script that is its own run, and for an unreadable
 * spec.
 */
export const findJob = (spec: Json): string | undefined =>
  spec !== null && typeof spec === 'object' && !Array.isArray(spec) && typeof spec.job === 'string'
    ? spec.job
    : undefined;

/** Returns the content of a script's input file: the envelope of its run, and what its job is given in addition. */
export const passInput = (
  { with: job_input }: Pick<ScriptWork, 'with'>,
  envelope: Assignment['envelope'],
): Assignment['envelope'] => (job_input === undefined ? envelope : { ...envelope, with: job_input });

const MAX_NAME_BYTES = 200;

/** Returns the name of the source in the folder of a pass: its own base name, made safe. */
export function sourceFileName(filename: string | undefined): string {
  const base = (filename ?? '').split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const safe = base.replaceAll('\0', '');
  if (safe === '' || safe === '.' || safe === '..') return 'script';
  if (Buffer.byteLength(safe) <= MAX_NAME_BYTES) return safe;
  const dot = safe.lastIndexOf('.');
  const extension = dot > 0 && safe.length - dot <= 8 ? safe.slice(dot) : '';
  return `script${extension}`;
}
