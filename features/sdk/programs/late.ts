import { output, waitSignal } from 'svc/sdk';

try {
  await waitSignal('late', { timeout: '50ms' });
} catch (error) {
  console.log(String(error));
}
await waitSignal('meanwhile');
await output.set({ late: await waitSignal<string>('late') });
