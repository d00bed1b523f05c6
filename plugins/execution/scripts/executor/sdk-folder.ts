import { copyFile, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SDK = fileURLToPath(new URL('../sdk/', import.meta.url));
const MANIFEST = {
  name: 'svc',
  type: 'module',
  exports: {
    './sdk': { types: './sdk/sdk.d.mts', default: './sdk/sdk.mjs' },
    './sdk/testing': { types: './sdk/testing.d.mts', default: './sdk/testing.mjs' },
  },
};

/** The name under which Python imports the SDK. */
export const SDK_NAME = 'svc_sdk';

/** Links next to a script: names in its folder and their targets. */
export type SdkLinks = Readonly<Record<string, string>>;

/**
 * Installs the SDKs once for all passes. JavaScript looks for `svc/sdk` in every parent folder of the script, so one
 * `node_modules` in the runtime folder is enough. Python looks next to the script, so each pass has a link. These are
 * copies, because a script that modifies them must not affect other agents. Passes in `memory_dir` have a link to
 * them.
 */
export async function installSdks(runtime_dir: string, memory_dir?: string): Promise<SdkLinks> {
  const node = join(runtime_dir, 'node_modules', 'svc');
  await copyFiles(SDK, join(node, 'sdk'), /\.m[jt]s$/);
  await writeFile(join(node, 'package.json'), JSON.stringify(MANIFEST));
  if (memory_dir !== undefined) await linkOnce(join(runtime_dir, 'node_modules'), join(memory_dir, 'node_modules'));
  const python = join(runtime_dir, 'sdk', 'svc_sdk');
  await copyFiles(join(SDK, 'svc_sdk'), python, /\.(py|typed)$/);
  return { [SDK_NAME]: python };
}

/** Replaces a link of an earlier attempt. */
async function linkOnce(target: string, path: string): Promise<void> {
  await rm(path, { force: true });
  await symlink(target, path);
}

/** Returns the folders of the agent that contain the SDKs, as scripts see them. */
export const sdkFolders = (runtime_dir: string): string[] => [
  join(runtime_dir, 'node_modules'),
  join(runtime_dir, 'sdk'),
];

/** Copies completely or not at all, because an earlier attempt may have been interrupted. */
async function copyFiles(from: string, to: string, which: RegExp): Promise<void> {
  const draft = `${to}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const names = (await readdir(from)).filter((name) => which.test(name));
  await Promise.all(names.map((name) => copyFile(join(from, name), join(draft, name))));
  await rm(to, { recursive: true, force: true });
  await rename(draft, to);
}
