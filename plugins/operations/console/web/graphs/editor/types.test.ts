import t from 'tap';
import { found, nameOfType, type NodeType } from './types.ts';

const type = (name: string, title = '', trigger = false): NodeType => ({
  type: name,
  title,
  trigger,
  config: {},
  holes: [],
  predicates: [],
  expressions: [],
});
const all = [
  type('team_chat.post', 'Team chat: Post a message'),
  type('apples.pick', 'Apples: Pick'),
  type('http', 'Sends one HTTP request'),
  type('trigger.manual', 'A submit', true),
  type('strange'),
  type('condition', 'One of two ways'),
];
const shown = (text: string) => found(all, text).map(({ title, types }) => [title, ...types.map((one) => one.type)]);

t.test('types in groups, connectors last', async (t) => {
  t.same(shown(''), [
    ['Triggers', 'trigger.manual'],
    ['Logic and data', 'condition'],
    ['Requests', 'http'],
    ['Others', 'strange'],
    ['Apples', 'apples.pick'],
    ['Slack', 'team_chat.post'],
  ]);
});

t.test('all words must occur, in the name or the title', async (t) => {
  t.same(shown('MESSAGE team'), [['Slack', 'team_chat.post']]);
  t.same(shown('slack'), [['Slack', 'team_chat.post']], 'by the name that people know');
  t.same(all.slice(0, 3).map(nameOfType), ['Post a message', 'Pick', 'HTTP request']);
  t.same(shown('nothing like it'), []);
});
