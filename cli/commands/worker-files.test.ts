import { resolve } from 'node:path';
import t from 'tap';
import { resolveWorkerFiles } from './worker-files.ts';

t.test('a worker takes absolute paths, and none that its setting would divide', async (t) => {
  t.same(resolveWorkerFiles(['orders.ts', '/app/flows.ts']), [resolve('orders.ts'), '/app/flows.ts']);
  t.throws(() => resolveWorkerFiles(['/a:b/orders.ts']), { message: /has a colon/ });
  t.throws(() => resolveWorkerFiles(['orders.ts', 'job.sh']), {
    message: 'job.sh is not a TypeScript, JavaScript or Python file',
  });
  t.same(resolveWorkerFiles(['/a.mjs', '/a.cts', '/a.py']), ['/a.mjs', '/a.cts', '/a.py']);
});
