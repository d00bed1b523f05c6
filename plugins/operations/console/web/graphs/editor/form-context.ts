import { createContext, useContext } from 'react';
import type { Scope } from '../../api/paths.ts';
import type { ExpressionNames } from '../expressions/names.ts';
import type { Placed } from './findings.ts';
import type { NodeType } from './types.ts';

/** What the fields of a node need, however deep they stand. */
export interface FormPlace {
  scope: Scope;
  names: ExpressionNames;
  findings: readonly Placed[];
  types: ReadonlyMap<string, NodeType>;
  /** Of the node, for the kind of credential that it needs. */
  type: string;
  /** Opens the graph of a loop on the canvas; only for the node of one. */
  openLoop?(): void;
}

const Place = createContext<FormPlace | undefined>(undefined);

export const FormPlaceProvider = Place.Provider;

export function useFormPlace(): FormPlace {
  const place = useContext(Place);
  if (!place) throw new Error('A node field is outside its form.');
  return place;
}
