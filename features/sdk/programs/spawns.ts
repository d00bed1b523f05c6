import { writeFile } from 'node:fs/promises';
import { output, sleep, spawn } from 'svc/sdk';

await writeFile('{folder}/child.py', 'import svc_sdk as svc\nsvc.output.set(child=svc.input()["type"])\n');
const child = await spawn('{folder}/child.py', { tags: ['made:here'] });
const other = await spawn({ source: 'svc output set other=1' });
await sleep('10ms');
await output.set({ child, other });
