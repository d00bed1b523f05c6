export {
  type GraphNodeType,
  GraphNodeTypes,
  type Interpolation,
  type NamedCredential,
  type NodeConfig,
  splitInterpolations,
} from '../../engine/flows/contract.ts';
