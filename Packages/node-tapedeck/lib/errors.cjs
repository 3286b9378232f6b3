'use strict';

/** An error in how a deck or a session is used: no program, no such cassette, an unknown variant. */
class TapedeckError extends Error {
  get name() {
    return 'TapedeckError';
  }
}

/** A problem document with which the control API refused a request. `type` is its last word, such as `unknown-entry`. */
class ControlError extends TapedeckError {
  constructor(message, status, problem) {
    super(message);
    this.status = status;
    this.type = String(problem.type ?? '').split('/').pop();
  }
}

/** The failure of a test: all that is wrong with its session, with the stack of the line that opened the session. */
class TapedeckFailure extends Error {
  // Private, as runners print properties beside the message.
  #issues;

  /**
   * @param {string[]} issues one text each, without secrets
   * @param {string} traffic the requests that came
   * @param {string} frames the stack of the call that opened the session
   * @param {{cause?: unknown}} options
   */
  constructor(issues, traffic, frames, options) {
    super([...issues, traffic].filter(Boolean).join('\n'), options);
    this.#issues = issues;
    this.stack = `${this.name}: ${this.message}\n${frames}`;
  }

  /** What is wrong, a text each. */
  get issues() {
    return this.#issues;
  }

  get name() {
    return 'TapedeckFailure';
  }
}

/** The stack above `callee`, as lines. */
function framesAbove(callee) {
  const holder = {};
  Error.captureStackTrace(holder, callee);
  return String(holder.stack).split('\n').filter((line) => /^\s+at /.test(line)).join('\n');
}

/** Errors whose stack is that of a line of the test. */
const placed = new WeakSet();

/** Runs `work`. A `TapedeckError` of it shows the lines of the test in `frames`, and none of this package. */
function seenFrom(frames, work) {
  const place = (error) => {
    if (error instanceof TapedeckError && !placed.has(error)) {
      placed.add(error);
      error.stack = `${error.name}: ${error.message}\n${frames}`;
    }
    throw error;
  };
  let result;
  try {
    result = work();
  } catch (error) {
    place(error);
  }
  return result instanceof Promise ? result.catch(place) : result;
}

/** `FILE:LINE:COLUMN` of the first frame, such as that of the call in the test. */
function placeOf(frames) {
  const found = /\(?((?:file:\/\/)?[^()\s][^()]*:\d+:\d+)\)?$/.exec(frames.split('\n')[0] ?? '');
  return found ? found[1].replace(/^.*?at (?:async )?/, '').replace(/^file:\/\//, '') : 'an unknown line';
}

module.exports = { TapedeckError, ControlError, TapedeckFailure, framesAbove, seenFrom, placeOf };
