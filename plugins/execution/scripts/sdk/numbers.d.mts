export function readJson(text: string): unknown;
export function writeJson(value: unknown): string | undefined;
