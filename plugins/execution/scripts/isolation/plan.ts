import { existsSync, realpathSync } from 'node:fs';
import type { AgentEnvironment } from '../domain/environment.ts';
import { findServiceFiles } from './hidden.ts';
import { isWithin } from './within.ts';

/** The programs, libraries and settings of the machine. Nothing of /home, /root, /opt, /srv, /var, /run or /sys. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/nix/store', '/gnu/store'];
/** Files outside of these folders that belong to them. */
const LINKED = ['/etc/resolv.conf', '/etc/localtime', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'];
/** Variables of the agent that name public files. */
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'];

/** Paths that an isolated program sees read-only, or not at all. */
export interface MountPolicy {
  visible: readonly string[];
  hidden: readonly string[];
  /** Paths that are visible even inside a hidden folder. */
  extra_paths: readonly string[];
}

export interface MountPolicyOptions {
  env: AgentEnvironment;
  /** The Node.js that runs scripts. */
  node: string;
  /** More folders and files that the agent's owner shows. */
  extra: readonly string[];
  /** The folder `.svc` of this process. */
  home: string;
}

export const isCovered = (path: string, visible: readonly string[]): boolean =>
  visible.some((folder) => isWithin(path, folder));

/** Returns what every isolated program sees of this machine. */
export function createMountPolicy({ env, node, extra, home }: MountPolicyOptions): MountPolicy {
  const system = SYSTEM.filter((path) => existsSync(path)).flatMap((path) => [path, realpathSync(path)]);
  const visible = SYSTEM.filter((path) => existsSync(path));
  const named = [
    ...LINKED.filter((path) => existsSync(path)).map((path) => realpathSync(path)),
    ...CERTIFICATES.flatMap((name) => env[name] ?? []).filter((path) => path.startsWith('/') && existsSync(path)),
    node,
    ...extra.filter((path) => existsSync(path)),
  ];
  // A link is shown as a link, so its target is shown too.
  const extra_paths = [...new Set(named.flatMap((path) => [path, realpathSync(path)]))];
  for (const path of extra_paths) if (!isCovered(path, visible)) visible.push(path);
  // Folders come before their contents, because a mount covers what was there.
  const sorted = visible.toSorted((a, b) => a.length - b.length);
  return {
    visible: sorted,
    get hidden() {
      return findServiceFiles({ env, home, system, visible: sorted });
    },
    extra_paths,
  };
}

export interface MountPlanOptions {
  mount_policy: MountPolicy;
  /** An empty folder of the agent. */
  root: string;
  report: string;
  /** Set only if the agent is root. */
  user: number | undefined;
  /** Returned by `Networks`. */
  network: string | undefined;
  /** The folder of the pass, which is read-only. */
  folder: string;
  /** Folders of the agent that scripts read: the verb client and the SDKs. */
  tools: readonly string[];
  /** Folders below `folder` that the program may write to. */
  writable: readonly string[];
  /** Mounted as /tmp. */
  tmp: string;
  /** Files of the pass that replace those of the system. */
  covers: readonly (readonly [from: string, to: string])[];
  cwd: string;
}

/** Returns the arguments of the native program `isolate`, up to the program that it runs. */
export function planArguments(options: MountPlanOptions): string[] {
  const { mount_policy, root, report, user, network, folder, tools, writable, tmp, covers, cwd } = options;
  return [
    ...['--root', root, '--report', report],
    ...(user === undefined ? [] : ['--user', String(user)]),
    ...(network === undefined ? [] : ['--network', network]),
    // First, because folders that are shown may be in it.
    ...['--own', tmp, '/tmp'],
    ...[...mount_policy.visible, ...tools, folder].flatMap((path) => ['--show', path]),
    ...writable.flatMap((path) => ['--own', path, path]),
    ...covers.flatMap(([from, to]) => ['--cover', from, to]),
    ...planHidden(mount_policy),
    ...['--cwd', cwd, '--'],
  ];
}

/** A folder comes before what is in it: something visible may be in a hidden folder, and something hidden in that. */
function planHidden({ hidden, extra_paths }: MountPolicy): string[] {
  const reopened = extra_paths.filter((path) => isCovered(path, hidden) && !hidden.includes(path));
  const mounts = [...hidden.map((path) => ['--hide', path]), ...reopened.map((path) => ['--show', path])];
  return mounts.toSorted(([, a], [, b]) => a!.length - b!.length).flat();
}

/** True when the sandbox shows a program and the file that it links to. */
export function isVisible(program: string, { visible: shown }: MountPolicy): boolean {
  return existsSync(program) && isCovered(program, shown) && isCovered(realpathSync(program), shown);
}
