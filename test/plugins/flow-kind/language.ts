import type { FlowLanguage } from 'svc/flows';
import type { Json } from 'svc/runs';

/** `{"$expr": "…"}` anywhere in a config is its value. */
function render(config: Json, evaluate: (text: string) => Json): Json {
  if (config === null || typeof config !== 'object') return config;
  if (Array.isArray(config)) return config.map((one) => render(one, evaluate));
  if (typeof config.$expr === 'string') return evaluate(config.$expr);
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, render(value, evaluate)]));
}

export const language: FlowLanguage = {
  name: 'test',
  roots: ['input', 'nodes', 'item', 'index', 'vars'],
  scope: ({ envelope, nodes, constants, item = null, index = -1 }) => ({
    ...{ nodes, item, index },
    input: envelope.input ?? null,
    vars: constants,
  }),
  render,
};
