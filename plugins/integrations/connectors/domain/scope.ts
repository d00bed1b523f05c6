import type { ConnectorCall } from '../contract.ts';

/** The values that the templates of an action can read. */
export type ActionScope = ConnectorCall;

export const ROOTS = ['with', 'input', 'node'] as const;

/** Marks an optional value that is missing. Its key is left out. */
export const ABSENT: unique symbol = Symbol('absent');
