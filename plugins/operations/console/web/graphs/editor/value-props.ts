import type { ComponentType } from 'react';
import type { Schema } from './schema-fields.ts';

export interface ValueProps {
  name: string;
  schema: Schema;
  /** Of the type, with its `$defs`. */
  root: Schema;
  value: unknown;
  /** Undefined: the member is taken away. */
  onChange(value: unknown): void;
  pointer: string;
  required?: boolean;
  label?: string;
}

/** Fields that hold values are given what draws one: a value may hold fields again. */
export interface Nesting {
  Value: ComponentType<ValueProps>;
}
