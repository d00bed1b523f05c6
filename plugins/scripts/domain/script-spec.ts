import type { Assignment } from '../../agents/contract.ts';
import type { IncludedFile, Json } from '../../runs/contract.ts';
import { readCheckout, type ScriptWork } from '../contract.ts';
import { scriptNotStarted } from '../errors.ts';

/** Throws `script_not_started`: a record of another version, which no other try will change. */
export function readSpec(spec: Json): ScriptWork {
  const fault = 'the record of the script cannot be read by this agent; run an agent of the version of the server';
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) throw scriptNotStarted(fault);
  const { filename = null, source, interpreter = null, args = [], files = [], captures = false, job = null } = spec;
  const texts = [filename, interpreter, job].every((value) => value === null || typeof value === 'string');
  const words = Array.isArray(args) && args.every((one) => typeof one === 'string');
  const checkout = readCheckout(spec.checkout);
  if (typeof source !== 'string' || !texts || !words || !Array.isArray(files)) throw scriptNotStarted(fault);
  return {
    filename: (filename as string | null) ?? undefined,
    source,
    interpreter: (interpreter as string | null) ?? undefined,
    ...(args.length > 0 && { args: args as string[] }),
    ...(files.length > 0 && { files: files as unknown as IncludedFile[] }),
    ...(checkout !== undefined && { checkout }),
    captures: captures === true,
    ...(job !== null && { job: job as string }),
    ...(spec.with !== undefined && { with: spec.with }),
  };
}

/** The job of its run that a script is; undefined for a run of its own, and for a spec that cannot be read. */
export const jobOf = (spec: Json): string | undefined =>
  spec !== null && typeof spec === 'object' && !Array.isArray(spec) && typeof spec.job === 'string'
    ? spec.job
    : undefined;

/** What the input file of a script holds: the envelope of its run, and what its job is given beside that. */
export const inputOf = (
  { with: given }: Pick<ScriptWork, 'with'>,
  envelope: Assignment['envelope'],
): Assignment['envelope'] => (given === undefined ? envelope : { ...envelope, with: given });

const MAX_NAME_BYTES = 200;

/** The name under which the source lies in the folder of a pass: its own base name, made safe. */
export function sourceFileName(filename: string | undefined): string {
  const base = (filename ?? '').split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const safe = base.replaceAll('\0', '');
  if (safe === '' || safe === '.' || safe === '..') return 'script';
  if (Buffer.byteLength(safe) <= MAX_NAME_BYTES) return safe;
  const dot = safe.lastIndexOf('.');
  const extension = dot > 0 && safe.length - dot <= 8 ? safe.slice(dot) : '';
  return `script${extension}`;
}
