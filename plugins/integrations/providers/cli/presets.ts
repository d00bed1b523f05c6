import { readFile, rename, writeFile } from 'node:fs/promises';
import { type FlagValues, type Run, usageError } from '../../../../cli/contract.ts';
import { findPreset, PRESETS, type ProviderPreset, unknownPreset } from '../local/presets.ts';

const grantsOf = ({ settings: { grants = ['authorization_code'] } }: ProviderPreset) => grants;

export const list: Run = async ({ output }) => {
  const rows = PRESETS.map((preset) => [
    ...[preset.preset, preset.title, grantsOf(preset).join(' '), preset.assumed.join(' '), preset.source],
  ]);
  output.data({ presets: PRESETS }, () =>
    output.table(['preset', 'title', 'grants', 'not confirmed', 'source'], rows).trimEnd(),
  );
  return undefined;
};

interface Entry {
  name: string;
  preset: string;
  [member: string]: unknown;
}

export const create: Run = async ({ args, flags, output }) => {
  const name = args[0]!;
  const preset = findPreset(name);
  if (preset === undefined) throw usageError(`"${name.slice(0, 80)}" ${unknownPreset(name)}`, 'choose one of them');
  const entry: Entry = {
    name: String(flags.name ?? name),
    preset: name,
    ...clientOf(preset, flags),
    ...([flags.scope ?? []].flat().length === 0 ? {} : { scopes: flags.scope }),
  };
  if (flags.to === undefined) output.data(entry, () => JSON.stringify([entry], null, 2));
  else {
    const file = String(flags.to);
    await append(file, entry);
    output.data(entry, () => '');
    output.note(`Added ${entry.name} to ${file}; set SVC_CONNECTED_ACCOUNT_PROVIDERS=@${file} and restart the server`);
  }
  if (preset.assumed.length > 0)
    output.note(`not confirmed: ${preset.assumed.join(', ')}; check ${preset.source}, then run svc doctor`);
  return undefined;
};

/** The operator's client, or only the grants that need none. */
function clientOf(preset: ProviderPreset, { clientId, clientSecret }: FlagValues): object {
  if (clientId === undefined) {
    const grants = grantsOf(preset).filter((grant) => grant !== 'authorization_code');
    if (grants.length === 0)
      throw usageError('--client-id is missing', `register svc as an OAuth application at ${preset.title} first`);
    return { grants };
  }
  const secret = String(clientSecret ?? '');
  if (!/^(@|env:)./.test(secret))
    throw usageError(
      '--client-secret must be @file or env:NAME',
      'the server then reads the secret from there, and the settings do not contain it',
    );
  return { client_id: clientId, client_secret: secret };
}

/** Replaces the file as a whole, so that a server that starts meanwhile reads the old or the new one. */
async function append(file: string, entry: Entry): Promise<void> {
  const entries = await readEntries(file);
  if (entries.some(({ name }) => name === entry.name))
    throw usageError(`${file} already has a provider ${entry.name}`, 'choose another --name, or edit the file');
  await writeFile(`${file}.new`, `${JSON.stringify([...entries, entry], null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readEntries(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw usageError(`cannot read ${file}: ${error.message}`, 'choose another file');
  });
  const entries = parse(text);
  if (!Array.isArray(entries)) throw usageError(`${file} is not a JSON array of providers`, 'choose another file');
  return entries as Entry[];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
