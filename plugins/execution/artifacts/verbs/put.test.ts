import t from 'tap';
import { artifactPutVerb } from './put.ts';

t.test('files whose names differ only in a secret are rejected before anything is uploaded', async (t) => {
  const cwd = t.testdir({ d: { 'a-tok1': '1', 'a-tok2': '2', b: '3' } });
  const staged: string[] = [];
  const files = {
    async stage(path: string) {
      staged.push(path);
      return { upload_id: `art_${staged.length}` };
    },
  };
  const pass = {
    mask: (text: string) => text.replace(/tok\d/g, '***'),
    perform: async (_site: unknown, args: () => Promise<unknown>) => {
      await args();
      return { record: { exit_code: 0, output: '' } };
    },
  };
  const put = async (argv: string[]) => artifactPutVerb.run({ argv, cwd, pass, files } as never);
  await t.rejects(put(['d']), { code: 'verb_usage', message: /two files would be stored as d\/a-\*\*\*/ });
  t.same(staged, []);
  await put(['d/a-tok1']);
  t.same(staged, ['a-***']);
});
