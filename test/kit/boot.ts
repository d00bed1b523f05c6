import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot as bootKernel, type BootOptions, type Kernel } from '../../kernel/boot/index.ts';
import {
  AccessControl,
  Clock,
  Log,
  type Replacement,
  type Resolve,
  type Scope,
  Sealer,
} from '../../kernel/contracts/index.ts';
import { type Answer, ask } from './client.ts';
import { ForwardClock } from './clocks.ts';
import { openTestDatabase, type Store, type TestDatabase } from './databases.ts';
import { PlaceSealer } from './place-sealer.ts';
import { makeProject } from './project.ts';
import { RecordingLog } from './recording-log.ts';
import { roleTokens, SCOPE } from './role-tokens.ts';
import { fillFromTemplate } from './templates.ts';

export interface TestOptions extends Partial<BootOptions> {
  /** Default `sqlite`. */
  store?: Store;
  /** The database of another server; whoever opened it drops it. Absent: one of its own. */
  database?: TestDatabase;
  /**
   * - `stand-in` (default): tokens are names of roles (`viewer`, `member`, `admin`, `owner`, `agent`) in the project
   *   acme/main, and values are sealed by a PlaceSealer
   * - `project`: plugins access and vault, with the project acme/web and a token for each role, and for `rival`
   * - `empty`: plugins access and vault, with nobody in them
   */
  access?: 'stand-in' | 'project' | 'empty';
}

/** A server in this process, on a real database. */
export interface TestServer {
  use: Resolve;
  kernel: Kernel;
  database: TestDatabase;
  log: RecordingLog;
  /** The real clock, unless a test puts it forward. The time of a MySQL database is its own. */
  clock: ForwardClock;
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** The project of `stand-in` or `project`. */
  scope: Scope;
  /** `/api/v1/orgs/acme/projects/…` */
  scoped: string;
  /** One request as the holder of a role, or of a token: `call('member', 'PUT /api/v1/…', body)`. */
  call(caller: string | undefined, line: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Stops the server and removes what it left behind. Throws when a plugin did not stop cleanly. Safe to call twice. */
  close(): Promise<void>;
}

/** Boots a kernel with the plugins named and what they require; all built-in plugins when none are named. */
export async function boot(options: TestOptions = {}): Promise<TestServer> {
  const { store = 'sqlite', access = 'stand-in', settings, env, ...rest } = options;
  const database = options.database ?? (await openTestDatabase(store));
  const home = await mkdtemp(join(tmpdir(), 'svc-home-'));
  const clean = async () => {
    await rm(home, { recursive: true, force: true });
    if (!options.database) await database.drop();
  };
  const [log, clock] = [new RecordingLog(), new ForwardClock()];
  const standIns: Replacement[] = [
    [AccessControl, () => roleTokens],
    [Sealer, () => new PlaceSealer()],
  ];
  try {
    if (settings?.database_url === undefined) await fillFromTemplate(database);
    const kernel = await bootKernel({
      role: 'server',
      ...rest,
      env: { SVC_MASTER_KEY: database.master_key, SVC_LOG_LEVEL: 'silent', ...env },
      settings: { database_url: database.url, port: 0, home, ...settings },
      replace: [
        [Log, () => log],
        [Clock, () => clock],
        ...(access === 'stand-in' ? standIns : []),
        ...(options.replace ?? []),
      ],
    });
    return await serverOf({ kernel, database, log, clock, clean, access });
  } catch (error) {
    await clean();
    throw error;
  }
}

interface Parts {
  kernel: Kernel;
  database: TestDatabase;
  log: RecordingLog;
  clock: ForwardClock;
  clean: () => Promise<void>;
  access: TestOptions['access'];
}

async function serverOf({ kernel, database, log, clock, clean, access }: Parts): Promise<TestServer> {
  const { use } = kernel;
  let closing: Promise<void> | undefined;
  const stop = async () => {
    const { failures } = await kernel.stop();
    await clean();
    if (failures.length > 0) throw new Error(`the server did not stop cleanly: ${JSON.stringify(failures)}`);
  };
  const close = () => (closing ??= stop());
  try {
    const made = access === 'project' ? await makeProject(use, kernel.base_url()) : { scope: SCOPE, tokens: {} };
    const tokens: Record<string, string | undefined> = made.tokens;
    const { scope } = made;
    return {
      ...{ use, kernel, database, log, clock, scope, close },
      scoped: `/api/v1/orgs/${scope.org}/projects/${scope.project}`,
      get url() {
        return kernel.base_url();
      },
      call: (caller, line, body, headers) =>
        ask(kernel.base_url(), tokens[caller ?? ''] ?? caller, line, body, headers),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
