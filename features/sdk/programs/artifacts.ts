import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { artifactPut, output, sleep, StepError } from 'svc/sdk';

const first = !existsSync('{folder}/marker');
await writeFile('{folder}/marker', '');
await mkdir('{folder}/dist/lib', { recursive: true });
await writeFile('{folder}/dist/app.js', 'app');
await writeFile('{folder}/dist/lib/a.js', 'lib');
if (!first) await rm('{folder}/dist', { recursive: true });
const paths = await artifactPut('{folder}/dist', { as: 'web' });
await sleep('10ms');
const refused = await artifactPut('{folder}/nowhere').catch(
  (error: unknown) => error instanceof StepError && error.reason,
);
await output.set({ paths, refused });
