import { waitSignal } from 'svc/sdk';

try {
  console.log((await waitSignal('go')).by);
} catch {
  console.log('swallowed');
} finally {
  console.log('finally');
}
