import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpAddress, Ids, Settings } from '../../../../kernel/contracts/index.ts';
import type { Bootstrap } from '../contract.ts';

/** The contents of `.svc/profile.json`, which the CLI reads. */
interface Profile {
  url: string;
  token: string;
  org: string;
  project: string;
}

/** Creates the developer's org, project and token, and the profile that the CLI reads. */
export async function writeDevProfile(deps: {
  settings: Settings;
  address: HttpAddress;
  bootstrap: Bootstrap;
  ids: Ids;
}): Promise<void> {
  const { settings, bootstrap } = deps;
  const names = { user: 'dev', org: 'dev', project: 'main' };
  if (settings.home === undefined) return;
  const path = join(settings.home, 'profile.json');
  const reuse = await readStoredToken(path);
  const { token } = await bootstrap.ensure({ ...names, token_name: 'dev', reuse });
  const url = settings.socket_path === undefined ? deps.address.base_url() : `unix:${settings.socket_path}`;
  await mkdir(settings.home, { recursive: true, mode: 0o700 });
  await writeAtomically(path, { url, token, org: names.org, project: names.project }, deps.ids);
}

/** Reads the token of an existing profile; undefined when the profile is missing or invalid, and must be written again. */
async function readStoredToken(path: string): Promise<string | undefined> {
  try {
    const profile = JSON.parse(await readFile(path, 'utf8')) as Partial<Profile> | null;
    const token = profile?.token;
    return typeof token === 'string' ? token : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a temporary file and renames it: a reader sees the old or the new profile, and other users see neither. */
async function writeAtomically(path: string, profile: Profile, ids: Ids): Promise<void> {
  const draft = `${path}.${ids.next('draft')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(profile, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
