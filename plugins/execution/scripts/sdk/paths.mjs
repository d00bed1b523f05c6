// What a run was given, and places in it: `order.items[0].name`. The agent reads paths with this file too.

/** A name after a dot, or at the beginning; `[0]`; `["any text"]`. */
const STEP = /(?:^\.?|\.)([^.[\]"\s]+)|\.?\[(?:(-?\d{1,9})|("(?:[^"\\]|\\.)*"))\]/y;
const TICK = 'schedule.tick';

/**
 * What a submit passed, or the payload of the event that started the run. A schedule has a payload that nobody wrote, so
 * its own input comes first. The inputs that a workflow declares come before both, and what a job of a pipeline is given
 * before all of it.
 */
export function dataOf(envelope) {
  const { type, inputs, input, payload, with: given } = envelope;
  if (given !== undefined) return given;
  if (inputs !== undefined) return inputs;
  if (payload === undefined || (type === TICK && input !== undefined)) return input;
  return payload;
}

/** The steps of a path: texts, and numbers for places in a list. `.` is the whole. Undefined for what is not a path. */
export function stepsOf(path) {
  if (path === '.') return [];
  const steps = [];
  let at = 0;
  while (at < path.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (found === null) return undefined;
    const [, name, place, text] = found;
    const step = name ?? (place === undefined ? textOf(text) : Number(place));
    if (step === undefined) return undefined;
    steps.push(step);
    at = STEP.lastIndex;
  }
  return steps.length === 0 ? undefined : steps;
}

function textOf(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** As a path is written: `items[0]["a name"].id`. */
export const pathOf = (steps) =>
  steps
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[^.[\]"\s]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./, '');

const isObject = (value) => {
  if (typeof value !== 'object' || value === null) return false;
  const kind = Object.getPrototypeOf(value);
  // Of the agent, which keeps numbers that no double has as objects of a class.
  return kind === null || kind.constructor === Object;
};

function below(value, step) {
  if (typeof step === 'number') return Array.isArray(value) ? value.at(step) : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** The value at these steps; undefined when there is none. `way` holds the values that were met, the whole first. */
export function walk(whole, steps) {
  const way = [whole];
  for (const step of steps) {
    const value = below(way.at(-1), step);
    if (value === undefined) return { value, way };
    way.push(value);
  }
  return { value: way.at(-1), way };
}
