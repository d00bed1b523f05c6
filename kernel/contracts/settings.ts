import { token } from './tokens.ts';

/** The role of this process. `dev` and `local` run a server and an agent; `dev` also listens. */
export type Role = 'server' | 'agent' | 'dev' | 'local';

/** Everything read from the environment and the command line, checked once at boot. */
export interface Settings {
  role: Role;
  /** A copy of the environment; nothing else reads `process.env`. */
  env: Readonly<Record<string, string | undefined>>;
  /** `sqlite:<path>`, `sqlite::memory:` or `mysql://…`. */
  database_url: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Listen on this Unix socket instead of `host` and `port`: `svc run` has no port. */
  socket_path: string | undefined;
  public_url: string | undefined;
  /** Folder for the files of this process (`.svc`). Undefined when nothing may be stored. */
  home: string | undefined;
  /** True: this process holds the lock of `home`, so that whoever had it before is dead. */
  home_locked?: boolean;
  /** Lease of a claim in milliseconds; the sweeper runs at a quarter of it. */
  lease_ms: number;
  /** Extra plugin packages or folders, in the order given. */
  plugins: readonly string[];
  /** Version of svc. */
  version: string;
}

export const Settings = token<Settings>('kernel.Settings');

/** An address for people: what may be a name, a password or a token in it is left out. */
export const shownAddress = (address: string): string =>
  address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@').replace(/[?#].*$/s, '');
