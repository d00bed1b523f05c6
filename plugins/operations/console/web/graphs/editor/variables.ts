import { createContext, useContext } from 'react';

/** Of a program: it sees no expression, but variables, whose values are expressions. */
export interface Variables {
  /** Of the program: `javascript`, `bash`. */
  language: string;
  names: readonly string[];
  /** A variable that has this value: one that is there, or a new one. Answers its name. */
  take(cel: string): string;
}

const Place = createContext<Variables | undefined>(undefined);

export const VariablesProvider = Place.Provider;
export const useVariables = (): Variables | undefined => useContext(Place);

type Env = Readonly<Record<string, unknown>>;

const isExpression = (value: unknown, cel: string): boolean =>
  typeof value === 'object' && value !== null && (value as { $expr?: unknown }).$expr === cel;

/** `ORDER_ID` for `nodes.order.output.payload.body.id`, and what `env` is with it. */
export function withVariable(env: Env, cel: string): { name: string; env: Env } {
  const known = Object.keys(env).find((name) => isExpression(env[name], cel));
  if (known !== undefined) return { name: known, env };
  const parts = cel.match(/[A-Za-z_]\w*/g) ?? [];
  const node = parts[0] === 'nodes' ? parts[1] : undefined;
  const last = parts.at(-1) ?? 'value';
  const wanted = [...(node && node !== last ? [node] : []), last].join('_').toUpperCase();
  let name = wanted;
  for (let n = 2; Object.hasOwn(env, name); n++) name = `${wanted}_${n}`;
  return { name, env: { ...env, [name]: { $expr: cel } } };
}

/** How a program reads a variable. */
export function readOf(language: string, name: string): string {
  if (language === 'javascript' || language === 'typescript') return `process.env.${name}`;
  if (language === 'python') return `os.environ["${name}"]`;
  if (language === 'go') return `os.Getenv("${name}")`;
  return `"$${name}"`;
}
