type Step = string | number;

export function dataOf(envelope: { readonly [field: string]: unknown }): unknown;
export function stepsOf(path: string): Step[] | undefined;
export function pathOf(steps: readonly Step[]): string;
export function walk(whole: unknown, steps: readonly Step[]): { value: unknown; way: unknown[] };
