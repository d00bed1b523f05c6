import t from 'tap';
import { belowName, fullTypeName, nodeName } from './node-names.ts';

const both = (node: Parameters<typeof nodeName>[0]) => [nodeName(node), belowName(node)];

t.test('a node is known by its title, by an id that somebody chose, or by its type', async (t) => {
  t.same(both({ id: 'condition', type: 'condition', title: 'Over €100?' }), ['Over €100?', 'Condition']);
  t.same(both({ id: 'large', type: 'condition' }), ['large', 'Condition']);
  t.same(both({ id: 'condition', type: 'condition' }), ['Condition', 'condition']);
  t.same(both({ id: 'http_12', type: 'http' }), ['HTTP request 12', 'http_12']);
  t.same(both({ id: 'http_x', type: 'http' }), ['http_x', 'HTTP request']);
});

t.test('an action is named with the system that people know', async (t) => {
  t.same(both({ id: 'post_message', type: 'team_chat.post_message' }), ['Post message', 'Slack']);
  t.same(both({ id: 'tell', type: 'team_chat.post_message' }), ['tell', 'Slack · Post message']);
  t.equal(fullTypeName('acme_shop.make_order'), 'Acme shop · Make order', 'one that is not known');
  t.equal(fullTypeName('constructor'), 'Constructor', 'never a member of all objects');
});
