export { compile, type Validator } from './contract/compile.ts';
export { readJsonText } from './contract/json-text.ts';
export { JSON_LIMITS, type JsonLimits, parseJson, readJson } from './contract/json.ts';
export { UNKNOWN_MEMBER } from './contract/faults.ts';
export { meant, nearest } from './contract/nearest.ts';
export { pointerTo, stepsOf } from './contract/pointer.ts';
export { withDefinitions } from './contract/references.ts';
export { faultsBy, membersAt } from './contract/suggest.ts';
export { insideText, placeOf, placesOf, type TextPlace } from './contract/text-place.ts';
