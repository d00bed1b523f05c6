import { output, waitEvent } from 'svc/sdk';

const { trusted, payload } = await waitEvent('asked', { untrusted: true });
await output.set({ trusted, payload });
