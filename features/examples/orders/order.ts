// An order: announced to whoever listens, paid for within the hour or given back, then shipped.
import { emit, input, output, step, WaitTimeoutError, waitEvent } from 'svc/sdk';

interface Order {
  id: string;
  cents: number;
}

const order = input().input as Order;
await step('reserve', () => `reserved ${order.id}`);
await emit('order.placed', { key: order.id, payload: order });

const patience = process.env.PATIENCE ?? '1h';
let paid = 0;
try {
  // Every payment comes along here; this order's own are those that count.
  while (paid < order.cents) {
    const { payload } = await waitEvent('payment.received', { timeout: patience });
    const payment = payload as { order: string; cents: number };
    if (payment.order === order.id) paid += payment.cents;
  }
  await step('ship', () => `shipped ${order.id}`);
  await emit('order.shipped', { key: order.id, payload: { id: order.id, paid } });
  await output.set({ outcome: 'shipped', paid });
} catch (error) {
  if (!(error instanceof WaitTimeoutError)) throw error;
  await step('release', () => `released ${order.id}`);
  await output.set({ outcome: 'released', paid });
}
