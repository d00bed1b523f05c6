import { token } from './tokens.ts';

/** The role of this process. `dev` and `local` run a server and an agent; `dev` also listens. */
export type Role = 'server' | 'agent' | 'dev' | 'local';

/** Everything that is read from the environment and the command line, validated once at boot. */
export interface Settings {
  role: Role;
  /** A copy of the environment; nothing else reads `process.env`. */
  env: Readonly<Record<string, string | undefined>>;
  /** `sqlite:<path>`, `sqlite::memory:` or `mysql://…`. */
  database_url: string;
  host: string;
  /** 0 chooses a free port. */
  port: number;
  /** The Unix socket to listen on instead of `host` and `port`: `svc run` opens no port. */
  socket_path: string | undefined;
  public_url: string | undefined;
  /** The folder for the files of this process (`.svc`). Undefined when nothing may be stored. */
  home: string | undefined;
  /** True when this process holds the lock of `home`, so that no earlier owner is alive. */
  home_locked?: boolean;
  /** The lease of a claim in milliseconds. The sweeper runs every quarter of it. */
  lease_ms: number;
  /** Extra plugin packages or folders, in the order given. */
  plugins: readonly string[];
  /** Version of svc. */
  version: string;
}

export const Settings = token<Settings>('kernel.Settings');

/** Formats an address for people, without anything that may be a user name, a password or a token. */
export const redactAddress = (address: string): string =>
  address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@').replace(/[?#].*$/s, '');
