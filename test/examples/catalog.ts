import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FarEnd } from './far-end.ts';

/** Where one example does its work. */
export interface Place {
  folder: string;
  far_end: FarEnd;
}

/** What somebody does, once: when the run waits for `name` as the `nth`, or has recorded `site`. */
export interface Reaction {
  when: { waits_for: string; nth?: number } | { recorded: string };
  signal?: { name: string; payload: unknown };
  emit?: { type: string; payload: unknown };
}

export interface Example {
  name: string;
  file: string;
  interpreter?: string;
  input?: unknown;
  env(place: Place): Record<string, string>;
  prepare?(place: Place): Promise<void>;
  /** By what the run waits for, in the order in which it does. */
  reactions?: readonly Reaction[];
  output: Record<string, unknown>;
  /** Sites of the script's own records, in order; a pattern where the count is not given. */
  sites: readonly string[] | RegExp;
  /** What is wrong in the world outside. */
  outside?(place: Place): Promise<string[]>;
}

/** Somebody pays while the order waits for it. */
const payment = (nth: number, order: string, cents: number): Reaction => ({
  when: { waits_for: 'payment.received', nth },
  emit: { type: 'payment.received', payload: { order, cents } },
});

const lines = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trim().split('\n');
const wrong = (what: string, found: unknown, wanted: unknown): string[] =>
  JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : [`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`];
const once = ({ far_end }: Place, ...paths: string[]): string[] =>
  paths.flatMap((path) => wrong(path, far_end.effects.get(path), 1));

export const examples: readonly Example[] = [
  {
    name: 'deploy',
    file: 'deploy.sh',
    env: ({ folder }) => ({ SITE: folder, VERSION: '2.0', PATIENCE: '1h' }),
    async prepare({ folder }) {
      await writeFile(join(folder, 'current'), '1.9');
      await writeFile(join(folder, 'healthy'), '1.9\n');
    },
    reactions: [{ when: { waits_for: 'approve' }, signal: { name: 'approve', payload: { ok: true } } }],
    output: { outcome: 'rolled-back', version: '1.9' },
    sites: ['current#0', 'build#0', 'approve#0', 'switch#0', 'healthy#0', 'roll-back#0'],
    outside: async ({ folder }) => wrong('current', await readFile(join(folder, 'current'), 'utf8'), '1.9'),
  },
  {
    name: 'etl',
    file: 'etl.py',
    env: ({ far_end }) => ({ PAGES_URL: far_end.url }),
    output: { pages: 4, totals: { de: 1300, fr: 301, jp: 900 }, receipt: 'receipt-1' },
    sites: ['page#0', 'page#1', 'page#2', 'page#3', 'load#0'],
    outside: async (place) => once(place, '/totals'),
  },
  {
    name: 'drip',
    file: 'drip.sh',
    env: ({ folder }) => ({ OUTBOX: join(folder, 'outbox'), PAUSE: '300ms' }),
    output: { outcome: 'finished', sent: '3' },
    sites: ['send#0', 'set last#0', 'unsubscribe#0', 'send#1', 'set last#1', 'unsubscribe#1', 'send#2', 'set last#2'],
    async outside({ folder }) {
      const mails = new Set(await lines(join(folder, 'outbox')));
      const sent = [...mails].map((mail) => mail.split(' ')[1]);
      return wrong('mails, each with a key of its own', sent, ['welcome', 'tips', 'offer']);
    },
  },
  {
    name: 'saga',
    file: 'saga.ts',
    env: ({ far_end }) => ({ BOOKINGS_URL: far_end.url }),
    output: { outcome: 'given-up', cancelled: ['hotel', 'flight'] },
    sites: ['book-flight#0', 'book-hotel#0', 'book-car#0', 'cancel-hotel#0', 'cancel-flight#0'],
    outside: async (place) =>
      once(place, '/book/flight', '/book/hotel', '/cancel/hotel/hotel-1', '/cancel/flight/flight-1'),
  },
  {
    name: 'fan-out',
    file: 'build.sh',
    env: ({ folder }) => ({ TREE: folder }),
    output: { failed: 1, built: 'linux-x64 linux-arm64 darwin windows', bytes: 77 },
    sites: /^(build-\S+#0 ){5}activity-wait-all#0 (build-\S+#0 ){5}pack#0$/,
    outside: async ({ folder }) =>
      wrong('manifest', await lines(join(folder, 'manifest')), ['darwin', 'linux-arm64', 'linux-x64', 'windows']),
  },
  {
    name: 'agent-loop',
    file: 'agent.mjs',
    input: { question: 'How cold is it in Oslo?' },
    env: ({ far_end }) => ({ MODEL_URL: far_end.url }),
    output: { answer: 'It is 3 degrees, 7 with the wind in your back.', messages: 6 },
    sites: ['ask#0', 'tool-weather#0', 'ask#1', 'tool-add#0', 'ask#2'],
    outside: async (place) => [
      ...once(place, '/tools/weather'),
      ...wrong('/chat', place.far_end.effects.get('/chat'), 3),
    ],
  },
  {
    name: 'heartbeat',
    file: 'heartbeat.py',
    env: ({ far_end }) => ({ HEALTH_URL: far_end.url, EVERY: '50ms' }),
    // Somebody stops it when it has looked three times.
    reactions: [{ when: { recorded: 'look#2' }, signal: { name: 'stop', payload: 'ann' } }],
    output: { last: 'up', stopped_by: 'ann' },
    sites: /^look#0 set status#0 service\.changed#0 stop#0( look#\d+ stop#\d+)+$/,
  },
  {
    name: 'migration',
    file: 'migrate.sh',
    env: ({ folder }) => ({ DB: folder, MIGRATIONS: join(folder, 'migrations') }),
    async prepare({ folder }) {
      await mkdir(join(folder, 'migrations'));
      for (const n of ['01-users', '02-orders', '03-index'])
        await writeFile(join(folder, 'migrations', `${n}.sql`), `create ${n};\n`);
    },
    output: { total: 3 },
    sites: /^schema-of-\S+#0 schema-of-\S+#0 verify#0$/,
    outside: async ({ folder }) =>
      wrong('schema', (await readdir(join(folder, 'schema'))).sort(), [
        '01-users.sql',
        '02-orders.sql',
        '03-index.sql',
      ]),
  },
  {
    name: 'orders',
    file: 'order.ts',
    input: { id: 'o-1', cents: 500 },
    env: () => ({ PATIENCE: '1h' }),
    reactions: [payment(0, 'o-2', 999), payment(1, 'o-1', 200), payment(2, 'o-1', 300)],
    output: { outcome: 'shipped', paid: 500 },
    sites: [
      'reserve#0',
      'order.placed#0',
      'payment.received#0',
      'payment.received#1',
      'payment.received#2',
      'ship#0',
      'order.shipped#0',
    ],
  },
  {
    name: 'invoices',
    file: 'invoices.pl',
    interpreter: 'perl',
    env: ({ folder }) => ({ BOOKS: folder }),
    output: { first: '1001', last: '1003', files: 3 },
    sites: /^get invoices of \S+\/last#0 (write#\d set invoices of \S+\/last#\d ){3}count#0$/,
  },
  {
    name: 'escalation',
    file: 'escalation.py',
    env: ({ folder }) => ({ PAGER: join(folder, 'pager'), PATIENCE: '2s' }),
    // The first who is asked does not answer.
    reactions: [{ when: { recorded: 'page#1' }, signal: { name: 'acknowledged', payload: { by: 'bob' } } }],
    output: { owner: 'bob' },
    sites: /^page#0 acknowledged#0 page#1 acknowledged#1( page#2 acknowledged#2)?$/,
  },
  {
    name: 'regions',
    file: 'regions.mjs',
    env: ({ folder }) => ({ FLEET: join(folder, 'fleet') }),
    output: { done: ['ap', 'eu', 'us'], runs: 3 },
    sites: /^name#0 spawn#0 spawn#1 spawn#2( sleep#\d+ list rollout-\S+#\d+| sleep#\d+ list rollout-\S+#\d+)+$/,
    outside: async ({ folder }) =>
      wrong('fleet', [...new Set(await lines(join(folder, 'fleet')))].sort(), ['ap', 'eu', 'us']),
  },
];
