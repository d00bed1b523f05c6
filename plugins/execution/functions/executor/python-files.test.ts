import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t from 'tap';
import { readProgramFiles } from './program-files.ts';
import { readPythonFiles } from './python-files.ts';

t.test('the version of a Python program covers the modules of its project that it imports', async (t) => {
  const folder = t.testdir({
    'orders.py':
      'import json, stock as store\nfrom shop import prices  # and taxes\n  \nfrom svc_sdk import workflow\n',
    'stock.py': 'from shop.deep.list import (\n  one,\n  two,\n)\n',
    'unused.py': '',
    shop: {
      '__init__.py': '',
      'prices.py': 'from . import rates\nfrom ..other import x\n',
      'rates.py': '',
      deep: { '__init__.py': '', 'list.py': 'from .. import taxes\n' },
      'taxes.py': 'import orders\n',
    },
  });
  const file = join(folder, 'orders.py');
  const found = [...(await readPythonFiles(file)).keys()].map((path) => relative(folder, path));
  t.same(found.sort(), [
    'orders.py',
    'shop/__init__.py',
    'shop/deep/__init__.py',
    'shop/deep/list.py',
    'shop/prices.py',
    'shop/rates.py',
    'shop/taxes.py',
    'stock.py',
  ]);

  const { version, folders } = await readProgramFiles([file]);
  t.same(folders.map((one) => relative(folder, one)).sort(), ['', 'shop', 'shop/deep']);
  await writeFile(join(folder, 'unused.py'), 'x = 1');
  t.equal((await readProgramFiles([file])).version, version, 'a file that nobody imports is not part of it');
  await writeFile(join(folder, 'shop/deep/list.py'), 'one = two = 2');
  t.not((await readProgramFiles([file])).version, version);
});
