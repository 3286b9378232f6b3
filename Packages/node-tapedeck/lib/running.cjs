'use strict';

const { createHook, executionAsyncResource } = require('node:async_hooks');
const { fileURLToPath } = require('node:url');

/**
 * Finds the test that runs: its `name` with its suites, and its `file`.
 *
 * node:test has no function for that, but runs each test as an asynchronous resource of the type `Test`, whose
 * properties are read where they are there. Without them a test is known by the option `test`.
 */
class RunningTests {
  #tests = new WeakMap();

  constructor() {
    createHook({
      init: (id, type, trigger, resource) => {
        const test = type === 'Test' ? resource : this.#tests.get(executionAsyncResource());
        if (test) this.#tests.set(resource, test);
      },
    }).enable();
  }

  /**
   * The test of the asynchronous context in which this is called; `undefined` if it is unknown. `identity` is another
   * object for each test, where there is one.
   */
  current(options, frames) {
    const { test } = options;
    const found = this.#tests.get(executionAsyncResource());
    const isHook = found?.constructor?.name === 'TestHook';
    const state = globalThis.expect?.getState?.();
    const name = test?.fullName ?? (found && !isHook ? fullName(found, 'parent') : undefined)
      ?? (test?.task ? fullName(test.task, 'suite') : undefined) ?? test?.name ?? state?.currentTestName;
    const file = (found && testFile()) ?? found?.loc?.file ?? test?.filePath ?? test?.task?.file?.filepath ?? state?.testPath ?? fileOf(frames);
    return name && file ? { name: String(name), file: pathOf(file), identity: test ?? (isHook ? undefined : found) } : undefined;
  }
}

/** The names of a test and of what it is in, from the outside. */
function fullName(test, outer) {
  const names = [];
  for (let one = test; one && typeof one.name === 'string' && one[outer] !== null; one = one[outer]) {
    if (one.name !== '') names.unshift(one.name);
  }
  return names.length > 0 ? names.join(' > ') : undefined;
}

/** The test file of a process of `node --test`. Where a helper module defines its tests, they stand in that. */
function testFile() {
  return process.env.NODE_TEST_CONTEXT?.startsWith('child') ? process.argv[1] : undefined;
}

function fileOf(frames) {
  return /\(?((?:file:\/\/)?\/[^()]*?):\d+:\d+\)?$/.exec(frames.split('\n')[0] ?? '')?.[1];
}

function pathOf(file) {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

module.exports = { RunningTests };
