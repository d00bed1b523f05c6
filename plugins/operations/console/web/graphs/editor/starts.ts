import type { GraphDocument } from '../document.ts';

interface Trigger {
  type: string;
  says: string;
}

/** What can start a graph, for an empty canvas. */
export const TRIGGERS: readonly Trigger[] = [
  { type: 'trigger.webhook', says: 'Another system sends a request' },
  { type: 'trigger.schedule', says: 'At set times, such as every night' },
  { type: 'trigger.event', says: 'Something happens in this project' },
  { type: 'trigger.manual', says: 'A person or a program starts it' },
];

/** A small graph that works as it stands, with the data that its expressions read. */
export interface GraphTemplate {
  name: string;
  says: string;
  document: Pick<GraphDocument, 'nodes' | 'edges'>;
  /** The output of its trigger, until a real one has come. */
  sample: { node: string; output: unknown };
}

const body = (id: string): string => `nodes.${id}.output.payload.body`;

export const GRAPH_TEMPLATES: readonly GraphTemplate[] = [
  {
    name: 'Handle an order',
    says: 'Webhook → condition → HTTP request → script',
    document: {
      nodes: [
        { id: 'order', type: 'trigger.webhook', title: 'Order created' },
        { id: 'large', type: 'condition', title: 'Over €100?', config: { if: `${body('order')}.total > 100` } },
        {
          id: 'check',
          type: 'http',
          title: 'Ask the shop',
          config: { url: 'https://example.com/', query: { order: { $expr: `string(${body('order')}.id)` } } },
        },
        {
          id: 'pack',
          type: 'shell',
          title: 'Pack the order',
          join: 'any',
          config: { script: 'echo "packed order $ORDER"', env: { ORDER: { $expr: `string(${body('order')}.id)` } } },
        },
      ],
      edges: [
        { from: 'order', to: 'large' },
        { from: 'large', to: 'check', when: true },
        { from: 'large', to: 'pack', when: false },
        { from: 'check', to: 'pack' },
      ],
    },
    sample: { node: 'order', output: { payload: { body: { id: 20931, total: 124.5, customer: 'Jansen & Co' } } } },
  },
  {
    name: 'Ask before a refund',
    says: 'Event → condition → approval → script',
    document: {
      nodes: [
        { id: 'refund', type: 'trigger.event', title: 'Refund requested', config: { on: ['refund.requested'] } },
        {
          id: 'large',
          type: 'condition',
          title: 'Over €100?',
          config: { if: 'nodes.refund.output.payload.amount > 100' },
        },
        {
          id: 'approval',
          type: 'wait_signal',
          title: 'Ask for approval',
          config: { name: 'approve', message: 'Refund {{ nodes.refund.output.payload.amount }} euros?', timeout: '2d' },
        },
        {
          id: 'pay',
          type: 'shell',
          title: 'Refund',
          join: 'any',
          config: {
            script: 'echo "paid back $AMOUNT euros"',
            env: { AMOUNT: { $expr: 'string(nodes.refund.output.payload.amount)' } },
          },
        },
      ],
      edges: [
        { from: 'refund', to: 'large' },
        { from: 'large', to: 'approval', when: true },
        { from: 'large', to: 'pay', when: false },
        { from: 'approval', to: 'pay' },
      ],
    },
    sample: { node: 'refund', output: { payload: { amount: 240 } } },
  },
  {
    name: 'Check a page every hour',
    says: 'Schedule → HTTP request → condition → event',
    document: {
      nodes: [
        { id: 'hourly', type: 'trigger.schedule', title: 'Every hour', config: { cron: '0 * * * *' } },
        { id: 'page', type: 'http', title: 'Fetch the page', config: { url: 'https://example.com/' } },
        { id: 'down', type: 'condition', title: 'Is it down?', config: { if: 'nodes.page.output.status >= 500' } },
        { id: 'tell', type: 'emit', title: 'Tell everyone', config: { type: 'page.down' } },
      ],
      edges: [
        { from: 'hourly', to: 'page' },
        { from: 'page', to: 'down' },
        { from: 'down', to: 'tell', when: true },
      ],
    },
    sample: { node: 'hourly', output: { payload: {} } },
  },
];
