import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SDK = fileURLToPath(new URL('../sdk/', import.meta.url));
const MANIFEST = {
  name: 'svc',
  type: 'module',
  exports: { './sdk': { types: './sdk/sdk.d.mts', default: './sdk/sdk.mjs' } },
};

/** What is linked beside a script, so that it finds it: names in its folder, and where they lead. */
export type SdkLinks = Readonly<Record<string, string>>;

/**
 * Puts the SDKs where scripts find them, once for all passes. JavaScript looks for `svc/sdk` in every folder above the
 * script, so one `node_modules` in the runtime folder does; Python looks beside the script, where each pass has a link.
 * Copies, for what a script writes there must reach no other agent.
 */
export async function installSdks(runtime_dir: string): Promise<SdkLinks> {
  const node = join(runtime_dir, 'node_modules', 'svc');
  await copyFiles(SDK, join(node, 'sdk'), /\.m[jt]s$/);
  await writeFile(join(node, 'package.json'), JSON.stringify(MANIFEST));
  const python = join(runtime_dir, 'sdk', 'svc_sdk');
  await copyFiles(join(SDK, 'svc_sdk'), python, /\.(py|typed)$/);
  return { svc_sdk: python };
}

/** Whole or not at all: a try before this one may have been cut short. */
async function copyFiles(from: string, to: string, which: RegExp): Promise<void> {
  const draft = `${to}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const names = (await readdir(from)).filter((name) => which.test(name));
  await Promise.all(names.map((name) => copyFile(join(from, name), join(draft, name))));
  await rm(to, { recursive: true, force: true });
  await rename(draft, to);
}
