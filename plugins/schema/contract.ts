export { compile, type Validator } from './contract/compile.ts';
export { JSON_LIMITS, type JsonLimits, parseJson, readJson } from './contract/json.ts';
export { pointerTo } from './contract/pointer.ts';
export { withDefinitions } from './contract/references.ts';
