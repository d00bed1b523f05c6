import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readFileInputs } from './find-inputs.ts';

t.test('the inputs of a pipeline are read from its file', async (t) => {
  const path = join(t.testdir({ 'a.yaml': 'inputs: { service: string }\njobs: {}\n' }), 'a.yaml');
  t.match(await readFileInputs(path, undefined, process), {
    workflow: path,
    schema: { properties: { service: { type: 'string' } } },
  });
});

t.test('a pipeline that expands too far has no inputs here; the check of the pipeline reports it', async (t) => {
  const path = join(t.testdir(), 'wide.yaml');
  const levels = Array.from({ length: 9 }, (_, n) => `x${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`);
  writeFileSync(path, `x0: &a0 [1]\n${levels.join('\n')}\ninputs: { service: string }\n`);
  t.equal(await readFileInputs(path, undefined, process), undefined);
});
