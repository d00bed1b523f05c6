import { emit, output, sleep, type SvcError } from 'svc/sdk';

const told = await emit('order.paid', { key: 'shop', payload: { order: 7, note: 'ü' } });
const plain = await emit('order.closed');
await sleep('10ms');
const reserved = await emit('run.started').catch((error: SvcError) => error.code);
await output.set({ told, plain, reserved });
