'use strict';

const { ControlError } = require('./errors.cjs');
const { matcherShape, matcherText, requests } = require('./matching.cjs');

/** Unmatched requests that are told one by one. */
const UNMATCHED_LIMIT = 10;
/** Requests that a failure lists. */
const SEEN_LIMIT = 20;
const TO_HAVE_A_CASSETTE =
  'the test plays no cassette: name one, or leave out the `[]`, and record it with TAPEDECK_MODE=once';

/** What is wrong with a session so far, a text each: what the test expected, and what nothing answered. */
async function issuesOf(session, ledger, options) {
  const seen = await session.exchanges({ bodies: false });
  const issues = [];
  for (const expectation of ledger.expectations) {
    const issue = await check(session, expectation);
    if (issue) issues.push(issue);
  }
  for (const { name, matcher, reason, place } of ledger.unimplemented) {
    const hits = seen.filter(({ played }) => played?.set === name);
    if (hits.length === 0) continue;
    const why = reason ? `: ${reason}` : '';
    issues.push(`${matcherText(matcher)} is unimplemented${why}, and ${requests(hits.length)} came (${place})`);
  }
  const unmatched = options.allowUnmatched ? [] : seen.filter(({ outcome }) => outcome === 'unmatched');
  issues.push(...unmatched.slice(0, UNMATCHED_LIMIT).map(({ unmatchedText }) => unmatchedText));
  if (unmatched.length > UNMATCHED_LIMIT) {
    issues.push(`nothing on tape answers ${requests(unmatched.length - UNMATCHED_LIMIT)} more`);
  }
  if (unmatched.length > 0) {
    const toRecord = 'to record what is missing, run the test with TAPEDECK_MODE=new';
    issues[issues.length - 1] += `\n  ${session.playsCassettes ? toRecord : TO_HAVE_A_CASSETTE}`;
  }
  return issues;
}

async function check(session, { matchers, count, place }) {
  try {
    const issue = count ? await checkCount(session, matchers[0], count) : await checkOrder(session, matchers);
    return issue && `${issue} (${place})`;
  } catch (error) {
    // Such as an invalid pattern: it does not keep the others from being checked.
    if (error instanceof ControlError) return `the deck does not understand what is expected: ${error.message} (${place})`;
    throw error;
  }
}

async function checkCount(session, matcher, count) {
  const found = (await session.exchanges({ request: matcherShape(matcher), bodies: false })).length;
  if (count.holds(found)) return undefined;
  return `expected ${count.text} to match ${matcherText(matcher)}, and saw ${found}`;
}

async function checkOrder(session, matchers) {
  let last = 0;
  for (const [index, matcher] of matchers.entries()) {
    const [next] = await session.exchanges({ request: matcherShape(matcher), after: last, bodies: false });
    if (!next) {
      const before = index === 0 ? '' : ` after request ${last}, which was ${matcherText(matchers[index - 1])}`;
      const order = matchers.map(matcherText).join(', then ');
      return `expected ${order}; no request matches ${matcherText(matcher)}${before}`;
    }
    last = next.number;
  }
  return undefined;
}

/** The requests of a session, oldest first. */
function list(seen) {
  if (seen.length === 0) return '\n  no request came at all';
  const left = seen.length - SEEN_LIMIT;
  const lines = seen.slice(-SEEN_LIMIT).map((exchange) => `\n    ${exchange.number}  ${exchange}`);
  return `\n  the requests were:${left > 0 ? `\n    … ${left} before these` : ''}${lines.join('')}`;
}

/** What is wrong according to the final report of a session of a deck's mode; it has no secrets in it. */
function issuesOfReport(report, mode, options) {
  const issues = [];
  const failure = report.saveFailure ?? report.saved?.failure;
  if (failure) issues.push(`the recording could not be saved: ${failure}`);
  const problems = report.saved?.problems ?? [];
  if (problems.length > 0) {
    issues.push(...problems.map((problem) => `the recording failed: ${problem}`));
  } else if (mode === 'record' || mode === 'append') {
    issues.push(...report.troubles.map(({ request, message }) => `${request} was not recorded: ${message}`));
  }
  issues.push(...report.cutOffSets.map((set) => `the pattern of "${set}" took too long and was cut off; simplify it`));
  if (options.requireUse && (mode === 'replay' || mode === 'append')) {
    issues.push(...report.unusedSets.map((set) => `no request used the response set "${set}"`));
  }
  return issues;
}

module.exports = { issuesOf, issuesOfReport, list, TO_HAVE_A_CASSETTE };
