import { token } from './tokens.ts';

/** What this process is for. `dev` and `local` hold a server and an agent; `dev` also listens. */
export type Role = 'server' | 'agent' | 'dev' | 'local';

/** At most `count` in `per_ms`: all at once, or spread over it. */
export interface Rate {
  count: number;
  per_ms: number;
}

/** What callers may ask of one server process; what is absent is not limited. */
export interface RateLimits {
  /** Requests with one token. */
  token?: Rate;
  /** Requests from one address. */
  address?: Rate;
  /** Failed authentications from one address. */
  failed?: Rate;
  /** Genuine deliveries to one hook or webhook. */
  delivery?: Rate;
}

/** Everything read from the environment and the command line, checked once at boot. */
export interface Settings {
  role: Role;
  /** The environment that settings are read from; a copy, so that nothing else reads `process.env`. */
  env: Readonly<Record<string, string | undefined>>;
  /** `sqlite:<path>`, `sqlite::memory:` or `mysql://…`. */
  database_url: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Listen on this Unix socket instead of `host` and `port`: `svc run` has no port. */
  socket_path: string | undefined;
  public_url: string | undefined;
  /** Folder for what this process keeps on disk (`.svc`). Undefined when nothing may be kept. */
  home: string | undefined;
  /** Lease of a claim; a quarter of it is the sweeper's tick. */
  lease_ms: number;
  /** Absent: no limits. */
  rate_limits?: RateLimits;
  /** How long what is pruned is kept, in ms by its name; absent or empty: nothing is pruned. */
  retention?: Readonly<Record<string, number>>;
  /** Extra plugin packages or folders, in the order given. */
  plugins: readonly string[];
  /** Version of svc. */
  version: string;
}

export const Settings = token<Settings>('kernel.Settings');
