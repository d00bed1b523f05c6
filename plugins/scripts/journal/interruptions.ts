/** The pass is over (parked, lost, stopped, in violation): the caller waits for its end, which is near. */
export class PassOver extends Error {
  constructor() {
    super('the pass is over');
    this.name = 'PassOver';
  }
}

/** Whoever made the call is not there any more. */
export class CallerGone extends Error {
  constructor() {
    super('the caller closed its connection');
    this.name = 'CallerGone';
  }
}
