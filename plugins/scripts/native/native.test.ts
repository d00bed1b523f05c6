import t from 'tap';
import { nativePrograms } from './build.mjs';
import { privateFolder } from './testing/test-agent.ts';
import { replaceClient, sanitizedProgram } from './testing/variants.ts';
import { verbClientSuite } from './testing/verb-client.testsuite.ts';
import { verbClient } from './verb-client.ts';

const { programs, why } = await nativePrograms();
const options = { verbs: ['step', 'sleep'], cli: ['/bin/echo', 'CLI'] };
if (!programs['verb-client']) t.comment(`no native programs: ${why}`);

for (const native of programs['verb-client'] ? [true, false] : [false])
  t.test(`verb client, ${native ? 'native' : 'Node'}`, async (t) => {
    const folder = await verbClient(privateFolder(t), { ...options, native });
    t.test('behaves', (t) => verbClientSuite(t, { folder, native }));
  });
void replaceClient; void sanitizedProgram;
