import { type FlagValues, readReference, readSecret, type Run, usageError } from '../../../../cli/contract.ts';
import { apiKind, FIELD_FLAGS, KIND_FLAGS } from './kinds.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const name = args[0]!;
  const { kind, names } = readKind(flags);
  const secret = names.at(-1)!;
  const hosts = flags.host as readonly string[];
  const api = await client();
  const path = api.scoped(`/credentials/${encodeURIComponent(name)}`);
  const public_fields = Object.fromEntries(names.slice(0, -1).map((field) => [field, String(flags[field])]));
  const from = readReference(flags);
  const value = from ? undefined : await readSecret(String(flags[secret]), `--${secret}`, invocation);
  const body = {
    kind: apiKind(kind),
    ...public_fields,
    ...(from ? { from } : { [secret]: value }),
    ...(hosts.length > 0 && { hosts }),
  };
  const answer = await api.answer({ method: 'PUT', path, body });
  output.data({ name, kind }, () => '');
  output.note(answer.status === 201 ? `Created credential ${name} (${kind})` : `Replaced credential ${name} (${kind})`);
  return undefined;
};

/** Reads the kind and its flags, which must all be set, and no others. */
function readKind(flags: FlagValues): { kind: string; names: readonly string[] } {
  if (flags.kind === undefined) throw usageError('--kind is missing', `one of ${Object.keys(KIND_FLAGS).join(', ')}`);
  const kind = String(flags.kind);
  const names: readonly string[] = KIND_FLAGS[kind]!;
  const required = `--kind ${kind} needs ${names.map((name) => `--${name}`).join(' and ')}`;
  const secret = names.at(-1)!;
  const is_elsewhere = flags.fromStore !== undefined || flags.path !== undefined;
  if (is_elsewhere && flags[secret] !== undefined)
    throw usageError(`--${secret} cannot be combined with --from-store`, 'give one of the two');
  const missing = names.find((name) => flags[name] === undefined && !(is_elsewhere && name === secret));
  if (missing !== undefined) throw usageError(`--${missing} is missing`, required);
  const foreign = FIELD_FLAGS.find((name) => flags[name] !== undefined && !names.includes(name));
  if (foreign !== undefined) throw usageError(`--${foreign} cannot be combined with --kind ${kind}`, required);
  return { kind, names };
}
