import { output, waitEvent } from 'svc/sdk';

const missed = await waitEvent('order.lost', { timeout: '50ms' }).catch((error: Error) => error.name);
const { type, payload } = await waitEvent('order.paid');
await output.set({ missed, type, payload });
