import type { Console } from './browser.ts';

const HOSTILE = '<img src=x onerror="document.title=`owned`">\u202e';

const expr = ($expr: string) => ({ $expr });
const set = (id: string, values: unknown) => ({ id, type: 'set', config: { values } });
const graph = (nodes: unknown[], edges: string, more: object = {}) => ({
  version: 'svc-graph/v1',
  nodes,
  edges: edges.split(' ').map((edge) => ({ from: edge.split('>')[0], to: edge.split('>')[1] })),
  ...more,
});

const hook = { id: 'hook', type: 'trigger.webhook' };
const pack = { id: 'pack', type: 'shell', config: { script: 'echo 1', credentials: { KEY: 'shop-key' } } };

const ORDERS = [
  graph([hook, set('charge', { amount: 1 }), set('notify', 'x'), pack], 'hook>charge charge>notify notify>pack'),
  graph([hook, set('charge', { amount: 2 }), set('refund', 'x'), pack], 'hook>charge charge>refund refund>pack'),
];

const STEPS = graph(
  [
    { id: 'start', type: 'trigger.manual' },
    set('double', expr('input.n * 2')),
    {
      id: 'each',
      type: 'fan_out',
      config: { items: expr('input.list'), node: { type: 'set', config: { values: expr('item + 1') } } },
    },
    { id: 'ok', type: 'wait_signal', config: { name: 'go' } },
    set('last', expr('nodes.ok.output')),
  ],
  'start>double double>each each>ok ok>last',
);

const ODD = graph([{ ...set('x', HOSTILE), title: HOSTILE, description: HOSTILE }, set('y', 1)], 'x>y', {
  title: HOSTILE,
  description: `# ${HOSTILE}`,
});

/** Tokens of others than the admin. */
export interface Saved {
  member: string;
  viewer: string;
}

async function done(ran: ReturnType<Console['svc']>): Promise<string> {
  const { exit, stdout, stderr } = await ran;
  if (exit !== 0) throw new Error(stderr);
  return stdout;
}

/** Graphs as somebody saves them, and people of two more roles. */
export async function saveGraphs({ svc }: Console): Promise<Saved> {
  const save = (name: string, document: unknown) => done(svc(['graph', 'save', name, '-'], JSON.stringify(document)));
  for (const document of ORDERS) await save('orders', document);
  await save('steps', STEPS);
  await save('hostile', ODD);
  const tokenOf = async (role: 'member' | 'viewer') => {
    const made = await done(svc(['token', 'create', `of-a-${role}`, '--role', role, '--project', 'main', '--json']));
    return (JSON.parse(made) as { token: string }).token;
  };
  return { member: await tokenOf('member'), viewer: await tokenOf('viewer') };
}
