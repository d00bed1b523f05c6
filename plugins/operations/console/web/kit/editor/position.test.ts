import { Text } from '@codemirror/state';
import t from 'tap';
import { languageOf } from './language.ts';
import { positionOf } from './position.ts';

t.test('a line and a column are a place inside of the document', async (t) => {
  const doc = Text.of(['name: x', '', '  jobs:']);
  t.equal(positionOf(doc, 1, 1), 0);
  t.equal(positionOf(doc, 3, 3), 11);
  t.equal(positionOf(doc, 2, 9), 8, 'beyond the end of its line');
  t.equal(positionOf(doc, 99, 99), 16);
  t.equal(positionOf(doc, 0, 0), 0);
});

t.test('the language of a document', async (t) => {
  t.equal(languageOf('ci.yaml', ''), 'yaml');
  t.equal(languageOf('CI.YML', '{}'), 'yaml');
  t.equal(languageOf('graph.json', ''), 'json');
  t.equal(languageOf('job.sh', '{ echo; }'), 'shell');
  t.equal(languageOf('job.py', ''), 'code');
  t.equal(languageOf('job.txt', '{}'), 'text');
  t.equal(languageOf('', ' {"a": 1}'), 'json');
  t.equal(languageOf('', 'echo'), 'text');
});
