/** An expression in a config. */
export interface Found {
  /** `config.env.ORDER`. */
  where: string;
  text: string;
}

/** Members that are CEL as a whole, by the type of their node. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  condition: ['if'],
  switch: ['on'],
  fan_out: ['items'],
  each: ['items'],
};
/** Members whose expressions the run of an item evaluates. */
const OF_ITEMS: Readonly<Record<string, readonly string[]>> = { each: ['nodes', 'edges', 'output'] };
const MAX_FOUND = 20;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The expressions of a config, in their order; those of a fan_out's node too, but not those of the nodes in a loop. */
export function expressionsIn(type: string, config: Readonly<Record<string, unknown>> = {}): Found[] {
  const found: Found[] = [];
  const visit = (value: unknown, where: string) => {
    if (found.length >= MAX_FOUND) return;
    if (Array.isArray(value)) for (const [at, one] of value.entries()) visit(one, `${where}[${at}]`);
    else if (isRecord(value) && typeof value.$expr === 'string') found.push({ where, text: value.$expr });
    else if (isRecord(value)) for (const [name, one] of Object.entries(value)) visit(one, `${where}.${name}`);
  };
  for (const [name, value] of Object.entries(config))
    if (WHOLE[type]?.includes(name) && typeof value === 'string') found.push({ where: name, text: value });
    else if (!OF_ITEMS[type]?.includes(name)) visit(value, name);
  return found.slice(0, MAX_FOUND);
}
