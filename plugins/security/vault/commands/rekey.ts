import { readFile, rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { AdminCommand } from '../../../../kernel/contracts/index.ts';
import { Database, Errors, failpoint, Ids, Settings } from '../../../../kernel/contracts/index.ts';
import { masterKey } from '../domain/master-key.ts';
import { VaultErrors } from '../errors.ts';
import { moveKeyFile, readKeyFile, replaceKeyFile } from '../service/key-file.ts';
import type { Keyring } from '../service/keyring.ts';
import { keyFilePath, type Master, parseNamed, pendingKeyFilePath } from '../service/master.ts';
import { abandonRekey, rekey } from '../service/rekey.ts';
import { readKeyChecks } from '../store/key-checks.ts';

type Args = Readonly<Record<string, string | boolean>>;
interface Deps {
  settings: Settings;
  database: Database;
  ids: Ids;
}

export const rekeyCommand = (keyring: Keyring): AdminCommand => ({
  name: 'rekey',
  summary: 'Seals every org key with a new master key. If it is killed, start it again to continue.',
  usage: 'svc admin rekey [--key-file <path|->] [--keep-old | --abandon]',
  flags: [
    {
      name: 'key-file',
      type: 'string',
      summary: 'file with the new key in base64, or - for standard input (default: the variable SVC_NEW_MASTER_KEY)',
    },
    {
      name: 'keep-old',
      type: 'boolean',
      summary: 'keep the old key valid; run the command again without this flag to complete the change',
    },
    { name: 'abandon', type: 'boolean', summary: 'abandon an unfinished change' },
  ],
  async run(use, args) {
    const deps = { settings: use(Settings), database: use(Database), ids: use(Ids) };
    const master = await keyring.master();
    if (args.abandon === true && args['keep-old'] === true)
      throw Errors.invalidRequest('--abandon and --keep-old cannot be combined');
    return args.abandon === true ? abandon(deps) : change(deps, master, args);
  },
});

async function abandon(deps: Deps) {
  await abandonRekey(deps);
  if (deps.settings.home !== undefined) await rm(pendingKeyFilePath(deps.settings.home), { force: true });
  return { json: { abandoned: true }, text: 'the old master key remains valid' };
}

async function change(deps: Deps, master: Master, args: Args) {
  const { settings, ids } = deps;
  if (master.source === 'memory')
    throw Errors.invalidRequest('an in-memory database has no master key that can be changed');
  const home = master.source === 'file' ? settings.home : undefined;
  const next = await newKey(deps, master, args, home);
  // Written to disk before the database changes: a key in use must never exist only in memory.
  if (home !== undefined) await replaceKeyFile(pendingKeyFilePath(home), next, ids);
  const keys = { current: master.key, next: masterKey(next), retain_previous: args['keep-old'] === true };
  const result = await rekey(deps, keys);
  failpoint('vault.rekey.finished');
  if (home !== undefined && result.finished) await moveKeyFile(pendingKeyFilePath(home), keyFilePath(home));
  return { json: result, text: explain(result, home) };
}

async function newKey(deps: Deps, master: Master, args: Args, home: string | undefined): Promise<Buffer> {
  const pending = home === undefined ? undefined : await readKeyFile(pendingKeyFilePath(home));
  const explicit_key = await readExplicitKey(deps.settings, args);
  const next = explicit_key ?? pending ?? (home === undefined ? undefined : deps.ids.bytes(32));
  if (!next) throw VaultErrors.masterKeyMissing('set the new key with --key-file or SVC_NEW_MASTER_KEY');
  const { incoming } = await readKeyChecks(deps.database);
  if (incoming && incoming.master_id !== masterKey(next).id)
    throw VaultErrors.rekeyConflict('a change to another new key is in progress');
  if (!incoming && masterKey(next).id === master.key.id)
    throw VaultErrors.rekeyConflict(
      'the new key is already the current key: the change is complete, or this is the wrong key',
    );
  return next;
}

async function readExplicitKey(settings: Settings, args: Args): Promise<Buffer | undefined> {
  const path = args['key-file'];
  if (path === '-') return parseNamed((await buffer(process.stdin)).toString('utf8'), 'standard input');
  if (typeof path === 'string') return parseNamed(await readText(path), path);
  const text = settings.env.SVC_NEW_MASTER_KEY;
  return text === undefined || text === '' ? undefined : parseNamed(text, 'SVC_NEW_MASTER_KEY');
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw VaultErrors.masterKeyMissing(`${path} cannot be read (${code})`, { cause });
  }
}

function explain({ rewrapped, finished }: { rewrapped: number; finished: boolean }, home: string | undefined): string {
  const done = `${rewrapped} org ${rewrapped === 1 ? 'key' : 'keys'} sealed with the new master key.`;
  if (!finished) return `${done} Both keys are valid: move every server to the new one, then run rekey again.`;
  if (home !== undefined) return `${done} The new key is in ${keyFilePath(home)}; restart the servers.`;
  return `${done} The old one no longer opens anything: set SVC_MASTER_KEY to the new key and restart the servers.`;
}
