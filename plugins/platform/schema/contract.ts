export { compile, compileAtUse, type Validator } from './contract/compile.ts';
export { parseExact } from './contract/exact-json.ts';
export { ExactNumber, containsExact, isNumber, numberOf } from './contract/exact-number.ts';
export { withDoubles } from './contract/double-numbers.ts';
export { copySpelling, sourceText, detachMember } from './contract/spelling.ts';
export { isKeyValue, readKeyValue } from './contract/key-value.ts';
export { validateLine } from './contract/line.ts';
export { readJsonText } from './contract/json-text.ts';
export {
  assertWithinLimits,
  JSON_LIMITS,
  parseExactYielding,
  parseJson,
  parseJsonYielding,
  readJson,
  readJsonYielding,
} from './contract/json.ts';
export { jsonNestsDeeper, type JsonLimits, measureJson, nestsTooDeep } from './contract/measure.ts';
export { yieldBeforeLarge, yieldBeforePiece } from './contract/yield-before-large.ts';
export { writeJsonYielding } from './contract/exact-writer.ts';
export { UNKNOWN_MEMBER } from './contract/validation-errors.ts';
export { nearest, similarNames, suggestName } from './contract/nearest.ts';
export { pointerTo, stepsOf } from './contract/pointer.ts';
export { withDefinitions } from './contract/references.ts';
export { readSettingFile } from './contract/setting-file.ts';
export { readSince } from './contract/since.ts';
export { validateWithSuggestions, membersAt } from './contract/suggest.ts';
export { positionInside, positionOf, positionsOf, type TextPosition } from './contract/text-position.ts';
export {
  CheckFailed,
  describeErrors,
  fillDefaults,
  findSchemaError,
  findValueErrors,
  readInputs,
  readShape,
  type CheckedValue,
} from './contract/given-schema.ts';
export { inTime } from './contract/in-time.ts';
export { expandShape, ShapeError } from './contract/shape.ts';
export { expandInputs, findScriptInputs } from './contract/declared-inputs.ts';
