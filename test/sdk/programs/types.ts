// Checked, never run: what the types promise to users of the SDK, and what they refuse.
import { exec, lock, type Recorded, state, step, waitSignal } from 'svc/sdk';

const same = <T>(value: T): T => value;
same<number>(await step('a', () => 1));
same<string>(await step('a', async () => 'x'));
same<string>(await step('a', ['echo', 'x'], { label: 'A', cwd: '/', env: { A: 'b' }, input: 'x', echo: true }));
same<{ at: string; list: (number | null)[] }>(await step('a', () => ({ at: new Date(), list: [1, null] })));
same<void>(await step('a', () => {}));
same<{ on: boolean } | undefined>(await state.getJson<{ on: boolean }>('a'));
same<string | undefined>(await state.get('a', { entity: 'b' }));
same<unknown>(await waitSignal('a'));
same<{ by: string }>(await waitSignal<{ by: string }>('a', { timeout: 500 }));
same<number>(await lock('a'));
same<boolean>(await lock('a', () => true, { timeout: '1h' }));
same<Buffer>((await exec('a', ['true'])).stdout);
same<Recorded<Map<string, number>>['size']>(1);

// @ts-expect-error A command is a list.
await step('a', 'echo x');
// @ts-expect-error A function has no folder.
await step('a', () => 1, { cwd: '/' });
// @ts-expect-error A date comes back as text.
same<Date>(await step('a', () => new Date()));
// @ts-expect-error A name is a text.
await waitSignal(5);
